package field

import "fmt"

// bounds are the options min and max of a type: the least and the greatest value that a field
// takes, written as values are. nil is none.
type bounds struct {
	Min *string `json:"min"`
	Max *string `json:"max"`

	least, greatest string
}

// check normalises the bounds. read returns a bound as it is shown, and as it is ordered: in texts
// that sort as the values do.
func (b *bounds) check(read func(text string) (shown, order string, err error)) error {
	for _, bound := range []struct {
		option string
		given  *string
		order  *string
	}{{"min", b.Min, &b.least}, {"max", b.Max, &b.greatest}} {
		if bound.given == nil {
			continue
		}
		shown, order, err := read(*bound.given)
		if err != nil {
			return OptionError{bound.option, "The " + bound.option + " " + err.Error()}
		}
		*bound.given, *bound.order = shown, order
	}
	if b.Min != nil && b.Max != nil && b.least > b.greatest {
		return OptionError{"max", "The max must not be less than the min."}
	}

	return nil
}

// boundsError returns an Error for what lies out of bounds.
func (b *bounds) boundsError(order string) error {
	switch {
	case b.Min != nil && order < b.least:
		return Error(fmt.Sprintf("must not be less than %s.", *b.Min))
	case b.Max != nil && order > b.greatest:
		return Error(fmt.Sprintf("must not be greater than %s.", *b.Max))
	}

	return nil
}

// refuseTime is refuse in the words for times.
func (b *bounds) refuseTime(order string) error {
	switch {
	case b.Min != nil && order < b.least:
		return Error(fmt.Sprintf("must not be before %s.", *b.Min))
	case b.Max != nil && order > b.greatest:
		return Error(fmt.Sprintf("must not be after %s.", *b.Max))
	}

	return nil
}
