package carriersapi

import "context"

// Board is a load board that knows carriers. An area with accounts at one provides it with
// port.Provides[carriersapi.Board, …](name); the name is what answers call the board.
type Board interface {
	// Connected reports whether the caller's company has an account at the board. It asks nobody outside.
	Connected(ctx context.Context) (bool, error)
	// LookUp asks the board about a USDOT number, with the account of the caller's company; nil if the board does not know it. It is called
	// in a job, never in a request or a transaction, and ends with ctx. The text of its error is shown to users: it has neither credentials nor the
	// vendor's text.
	LookUp(ctx context.Context, usdot string) (*BoardProfile, error)
}

// BoardProfile is what a load board says about a carrier.
type BoardProfile struct {
	Name  string `json:"name"`
	Phone string `json:"phone" doc:"E.164."`
	Email string `json:"email"`
	// MemberSince and Expires are days, as YYYY-MM-DD, "" if unknown.
	MemberSince string          `json:"member_since"`
	Rating      *BoardRating    `json:"rating" doc:"Null if nobody has rated the carrier."`
	Documents   []BoardDocument `json:"documents" nullable:"false"`
}

// BoardRating is how others rated a carrier.
type BoardRating struct {
	Positive int `json:"positive" doc:"Positive ratings."`
	Neutral  int `json:"neutral"`
	Negative int `json:"negative"`
}

// BoardDocument is a document that the carrier has on file at the board.
type BoardDocument struct {
	Kind    string `json:"kind" enum:"cargo_insurance,liability_insurance,w9,agreement,other"`
	Name    string `json:"name"`
	Expires string `json:"expires_on" doc:"YYYY-MM-DD; empty if it does not expire."`
}
