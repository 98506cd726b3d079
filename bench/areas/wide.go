package main

import "github.com/dispatchd/dispatchd/platform/resource"

// A resource is a type. Two digits make a hundred and sixty-nine of one struct.
type digit interface{ name() string }

type (
	d0 struct{}
	d1 struct{}
	d2 struct{}
	d3 struct{}
	d4 struct{}
	d5 struct{}
	d6 struct{}
	d7 struct{}
	d8 struct{}
	d9 struct{}
	da struct{}
	db struct{}
	dc struct{}
)

func (d0) name() string { return "a" }
func (d1) name() string { return "b" }
func (d2) name() string { return "c" }
func (d3) name() string { return "d" }
func (d4) name() string { return "e" }
func (d5) name() string { return "f" }
func (d6) name() string { return "g" }
func (d7) name() string { return "h" }
func (d8) name() string { return "i" }
func (d9) name() string { return "j" }
func (da) name() string { return "k" }
func (db) name() string { return "l" }
func (dc) name() string { return "m" }

// thing is a row of wide_<A><B>s.
type thing[A, B digit] struct {
	resource.Row

	Name    string  `json:"name" field:"required,max=100,unique,sort,search,title"`
	City    string  `json:"city" field:"max=100,search,sort"`
	Kind    string  `json:"kind" field:"default=small" enum:"small,large"`
	Weight  *int64  `json:"weight" field:"min=1,max=80000,sort"`
	Open    bool    `json:"open"`
	Comment *string `json:"comment" field:"max=2000,nofilter"`
}

func noun[A, B digit]() string {
	var a A
	var b B

	return a.name() + b.name() + "thing"
}

// TableName implements GORM's naming.
func (thing[A, B]) TableName() string { return "wide_" + noun[A, B]() + "s" }
