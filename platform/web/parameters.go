package web

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// parameters are those of an input, as far as a start looks at them.
type parameters struct {
	path  []string
	wrong error
}

// parametersOf reads the tags of an input. There are few inputs for many operations.
func (a *API) parametersOf(in reflect.Type) parameters {
	known, found := a.inputs[in]
	if found {
		return known
	}
	for _, f := range reflect.VisibleFields(in) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		for _, place := range []string{"path", "query", "header", "cookie"} {
			name := f.Tag.Get(place)
			if name != "" && f.Type.Kind() == reflect.Pointer {
				known.wrong = fmt.Errorf("its input has a pointer for %s of the %s, which are not supported", name, place)
			}
			if name != "" && place == "path" {
				known.path = append(known.path, name)
			}
		}
	}
	a.inputs[in] = known

	return known
}

// readPath finds the place of the operation, and refuses an input whose parameters are not those of the path.
func (e *endpoint) readPath(in reflect.Type) error {
	known := e.api.parametersOf(in)
	err := known.wrong
	e.place = e.info.Method + " "
	for rest := e.info.Path; ; e.place += "{}" {
		before, after, found := strings.Cut(rest, "{")
		e.place += before
		if !found {
			return err
		}
		var name string
		name, rest, _ = strings.Cut(after, "}")
		if !slices.Contains(known.path, name) {
			err = errors.Join(err, fmt.Errorf("its input has no field for {%s} of the path: tag one path:%q", name, name))
		}
	}
}
