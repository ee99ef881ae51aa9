/**
 * What a property of the artifact repository can be called. `|` has no escape in a name.
 * @see docs/facts.md, artifacts: what a name may not contain
 */
export const propertyName = /^[a-zA-Z][^\s)(}{\][*+^$\\/~`!@#%&<>;=,±§|]*$/;
