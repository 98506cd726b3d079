package quotes

// Expire is the job that ends quotes, for tests that have it run.
type Expire = expire
