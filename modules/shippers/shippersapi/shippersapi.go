// Package shippersapi is the contract of the shippers area: its id and the types of its items. What its terms do, they do by the hooks of loads.
package shippersapi

// Area is the id of the area, Shipper and Location the types of its items.
const (
	Area     = "shippers"
	Shipper  = "shippers.shipper"
	Location = "shippers.location"
)
