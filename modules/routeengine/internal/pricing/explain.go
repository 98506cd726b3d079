package pricing

import (
	"encoding/json"

	"github.com/dispatchd/dispatchd/platform/money"
)

// Explanation is how a price came to be, for those who sell: never for customers.
type Explanation struct {
	Formula     FormulaName  `json:"formula"`
	ContextHash string       `json:"context_hash"`
	Inputs      Transport    `json:"inputs"`
	Vehicles    []CarFactors `json:"vehicles"`
	Fee         []Applied    `json:"fee"`
	CarrierPay  money.Amount `json:"carrier_pay"`
	BrokerFee   money.Amount `json:"broker_fee"`
	Tariff      money.Amount `json:"tariff"`
	Confidence  string       `json:"confidence"`
	Warnings    []string     `json:"warnings"`
}

// FormulaName names a formula; one that is shipped has no uuid, and the version 0.
type FormulaName struct {
	UUID    string `json:"uuid,omitempty"`
	Version int64  `json:"version"`
}

// CarFactors are the factors of a vehicle.
type CarFactors struct {
	Vehicle    string       `json:"vehicle"`
	CarrierPay money.Amount `json:"carrier_pay"`
	Factors    []Applied    `json:"factors"`
}

// Explain is the explanation of a price.
func (p Price) Explain(of FormulaName) (json.RawMessage, error) {
	e := Explanation{
		Formula: of, ContextHash: p.Hash, Inputs: p.Inputs, Fee: p.Fee, CarrierPay: p.CarrierPay, BrokerFee: p.BrokerFee, Tariff: p.Tariff,
		Confidence: p.Confidence, Warnings: p.Warnings, Vehicles: []CarFactors{},
	}
	for i, c := range p.Cars {
		e.Vehicles = append(e.Vehicles, CarFactors{p.Inputs.Cars[i].Name, c.CarrierPay, c.Factors})
	}

	return json.Marshal(e)
}
