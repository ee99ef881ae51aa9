/**
 * What a property of the artifact repository can be called. `|` has no escape in a name.
 * @see docs/facts.md, artifacts: what a name may not contain
 */
export const propertyName = /^[a-zA-Z][^\s)(}{\][*+^$\\/~`!@#%&<>;=,±§|]*$/;

/**
 * What the value of such a property can be. A backslash at its end would take the separator after it into the value.
 * @see docs/facts.md, artifacts: a backslash goes before
 */
export const propertyValue = /^(?:[^;]*[^;\\\s])?$/;
