package packaging

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// ReadPack reads a pack strictly. One of a newer format is refused as such, whatever else it says.
func ReadPack(raw []byte, under string) (p packs.Pack, err error) {
	switch format := packs.FormatOf(raw); {
	case format == 0:
		return p, definition.ErrInvalidPack.WithField(under+"format", fmt.Sprintf("The format is required: a whole number, currently %d.", packs.Format))
	case format > packs.Format:
		return p, definition.ErrInvalidPack.WithField(under+"format", fmt.Sprintf(
			"The pack has format %d, but this version of the service supports formats up to %d.", format, packs.Format))
	}
	if err := jsonbody.Decode(raw, &p); err != nil {
		return p, underPath(under, err)
	}

	return p, packProblems(under, p.Check())
}

// ShippedPack returns a pack that comes with the service, or ErrPackNotFound.
func ShippedPack(name string) (packs.Pack, error) {
	found, names, err := packs.Find(name)
	if err != nil {
		return packs.Pack{}, err
	}
	if found == nil {
		return packs.Pack{}, definition.ErrPackNotFound.WithMessage("There is no pack %s%s", naming.Shorten(name), naming.DidYouMean(name, names))
	}

	return *found, nil
}

// underPath puts the messages of a refusal under a path.
func underPath(under string, err error) error {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || len(refusal.Fields) == 0 {
		return err
	}
	with := *refusal
	with.Fields = map[string][]string{}
	for path, messages := range maps.All(refusal.Fields) {
		with.Fields[strings.TrimSuffix(under+path, ".")] = messages
	}

	return &with
}
