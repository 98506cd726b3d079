package main

import "github.com/dispatchd/dispatchd/platform/resource"

// card is a row of cards_cards.
type card struct {
	resource.Row

	Name string `json:"name" field:"required,max=100,unique,sort,search,title"`
	Body string `json:"body" field:"required,max=5000,nofilter"`
}

// TableName implements GORM's naming.
func (card) TableName() string { return "cards_cards" }
