// The Polish texts of the first screen: what stands around every screen, signing in, and the campaigns.
export default import.meta.glob<{ default: Record<string, unknown> }>(
  './pl/{shell,parts,sign-in,campaigns,labels}.json',
  {
    eager: true,
  },
);
