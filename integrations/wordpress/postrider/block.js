// The block in the editor: the form as the page shows it.
((blocks, element, ServerSideRender) => {
  blocks.registerBlockType('postrider/form', {
    edit: (props) => element.createElement(ServerSideRender, { block: 'postrider/form', attributes: props.attributes }),
    save: () => null,
  });
})(window.wp.blocks, window.wp.element, window.wp.serverSideRender);
