package store

// BasePath is what the paths of the area begin with.
const BasePath = "/sms/api/v1"
