// Package trackingapi is the contract of the tracking area: its id.
package trackingapi

// Area is the id of the area.
const Area = "tracking"
