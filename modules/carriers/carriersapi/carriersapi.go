// Package carriersapi is the contract of the carriers area: its id and its events.
package carriersapi

// Area is the id of the area.
const Area = "carriers"
