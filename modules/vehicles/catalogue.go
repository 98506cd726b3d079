package vehicles

import (
	"context"
	"sync"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/listing"
	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// catalogue decodes and lists from the vehicle data, which are loaded at the first use.
type catalogue struct {
	library    *vpic.Library
	supplement *supplement
	parser     func() (*listing.Parser, error)
	clock      clock.Clock
}

func newCatalogue(s settings, more *supplement, c clock.Clock) *catalogue {
	library := vpic.Open(s.DataFile)

	return &catalogue{library: library, supplement: more, clock: c, parser: sync.OnceValues(func() (*listing.Parser, error) {
		data, err := library.Data()
		if err != nil {
			return nil, err
		}

		return listing.New(data), nil
	})}
}

func newDecoder(c *catalogue) vehiclesapi.Decoder { return c }

func newParser(c *catalogue) vehiclesapi.Parser { return c }

// data are the vehicle data, loaded at the first call.
func (c *catalogue) data() (*vpic.Data, error) {
	data, err := c.library.Data()
	if err != nil {
		return nil, errNoData.WithCause(err)
	}

	return data, nil
}

// Decode is DecodeAsked for VINs of whose model years nothing is known.
func (c *catalogue) Decode(ctx context.Context, vins ...string) ([]vehiclesapi.Decoded, error) {
	asked := make([]vehiclesapi.Asked, len(vins))
	for i, vin := range vins {
		asked[i].VIN = vin
	}

	return c.DecodeAsked(ctx, asked...)
}

// DecodeAsked implements vehiclesapi.Decoder.
func (c *catalogue) DecodeAsked(ctx context.Context, asked ...vehiclesapi.Asked) ([]vehiclesapi.Decoded, error) {
	data, err := c.data()
	if err != nil {
		return nil, err
	}
	all := make([]vehiclesapi.Decoded, len(asked))
	for i, one := range asked {
		if all[i], err = data.Decode(vpic.Ask{VIN: one.VIN, Year: one.Year, Now: c.clock.Now().Year()}); err != nil {
			return nil, err
		}
	}

	return all, c.supplement.complete(ctx, data, all)
}

// details are what expand=vin.decoded shows.
func (c *catalogue) details(ctx context.Context, vins []string) ([]vehiclesapi.Decoded, error) {
	return c.Decode(ctx, vins...)
}

// Parse implements vehiclesapi.Parser.
func (c *catalogue) Parse(_ context.Context, text string) ([]vehiclesapi.Listed, error) {
	parser, err := c.parser()
	if err != nil {
		return nil, errNoData.WithCause(err)
	}

	return parser.Parse(text, c.clock.Now().Year())
}

// Identify implements vehiclesapi.Parser.
func (c *catalogue) Identify(_ context.Context, v vehiclesapi.Named) (vehiclesapi.Listed, error) {
	parser, err := c.parser()
	if err != nil {
		return vehiclesapi.Listed{}, errNoData.WithCause(err)
	}

	return parser.Identify(v, c.clock.Now().Year())
}
