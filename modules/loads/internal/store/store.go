package store

// Base is where the operations of the area are.
const Base = "/loads/api/v1"
