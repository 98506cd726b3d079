// Package shippersapi is what other areas may know of the shippers area: its id and its items.
package shippersapi

// Area is the id of the area, Shipper and Location the types of its items.
const (
	Area     = "shippers"
	Shipper  = "shippers.shipper"
	Location = "shippers.location"
)
