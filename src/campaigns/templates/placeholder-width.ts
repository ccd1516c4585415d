/** Of the placeholder of a template's picture, by which the gallery knows it: pictures are 640 pixels wide. */
export const placeholderWidth = 320;
