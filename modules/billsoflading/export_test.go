package billsoflading

// Purge are the arguments of the job that forgets what phones were answered.
type Purge = purgeArgs
