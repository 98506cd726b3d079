package dispatchesapi

import "context"

// PriceBoard is a load board that knows what transports cost. An area with accounts at one provides it with
// port.Provides[dispatchesapi.PriceBoard, …](name); the name is what answers call the board.
type PriceBoard interface {
	// Connected reports whether the caller's company has an account at the board. It asks nobody outside.
	Connected(ctx context.Context) (bool, error)
	// Price asks the board, with the account of the caller's company, what a carrier would take for a lane; nil if the board does not know it.
	// Comparables asks for the transports by which the board knows. Both are called in a request, never in a transaction, and end with ctx. The
	// text of their errors is shown to users: it has neither credentials nor the vendor's text.
	Price(ctx context.Context, l Lane) (*BoardPrice, error)
	Comparables(ctx context.Context, l Lane) ([]Comparable, error)
}

// Lane is a transport whose price is asked for.
type Lane struct {
	// From and To are ZIP codes of five digits, Miles what is between them by road.
	From, To string
	Miles    int64
	Vehicles int64
	// Inoperable says that a vehicle does not run.
	Inoperable bool
	// TransportType is open, enclosed or driveaway, AvailableFrom a day as YYYY-MM-DD, "" for any, Currency that of the answer.
	TransportType, AvailableFrom, Currency string
}

// BoardPrice is what a board says that a carrier would take for all vehicles of a lane, in its currency. Loads is by how many it knows, 0 if the board does
// not say.
type BoardPrice struct {
	Low, Mid, High string
	Loads          int
}

// Comparable is a transport like the one that was asked for.
type Comparable struct {
	FromCity, FromState, ToCity, ToState string
	Vehicles, Miles                      int64
	// Price is what was asked or paid for all its vehicles.
	Price string
	// At is the day on which it was listed or dispatched, as YYYY-MM-DD.
	At string
	// Dispatched says that a carrier took it at that price.
	Dispatched bool
}
