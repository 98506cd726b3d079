package web

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/web/binding"
)

// knownInput is a type of input whose tags were read, and what is wrong with them. There are few inputs for many operations.
type knownInput struct {
	*binding.Input

	wrong error
}

func (a *API) inputOf(in reflect.Type) (*binding.Input, error) {
	known, found := a.inputs[in]
	if !found {
		known.Input, known.wrong = binding.InputOf(in)
		a.inputs[in] = known
	}

	return known.Input, known.wrong
}

// readPath finds the place of the operation, and refuses an input whose parameters are not those of the path.
func (e *endpoint) readPath() (err error) {
	known := e.input.Names("path")
	e.place = e.info.Method + " "
	for rest := e.info.Path; ; e.place += "{}" {
		before, after, found := strings.Cut(rest, "{")
		e.place += before
		if !found {
			return err
		}
		var name string
		name, rest, _ = strings.Cut(after, "}")
		if !slices.Contains(known, name) {
			err = errors.Join(err, fmt.Errorf("its input has no field for {%s} of the path: tag one path:%q", name, name))
		}
	}
}
