/**
 * The scope of plugins and of system properties. They share one, so that their calls run one after the other, in the
 * order of the kinds' names: a restart for plugins resets the properties.
 */
export const runningServer = "running server";
