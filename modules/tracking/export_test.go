package tracking

// Thin are the arguments of the job that thins out positions.
type Thin = thinArgs
