package list

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// Serve is the handler of an operation that takes nothing but what lists take: it reads the page that the
// query asks for, and shows each of its rows. Where an operation takes more, it does these steps itself.
func Serve[R, T any](
	schema Schema, read func(context.Context, Query) (Page[R], error), show func(R) T,
) func(context.Context, *Input) (*Output[T], error) {
	return func(ctx context.Context, in *Input) (*Output[T], error) {
		q, err := in.Parse(ctx, schema)
		if err != nil {
			return nil, err
		}
		page, err := read(ctx, q)
		if err != nil {
			return nil, err
		}

		return Answer(q, Convert(page, show)), nil
	}
}

// ShownAs is the schema of a list whose rows are shown as T: fields= may name T's keys, and filters by what has a tag enum
// in T the words of that.
func ShownAs[T any](s Schema) Schema {
	s.Keys, s.Fields = KeysOf[T](), slices.Clone(s.Fields)
	for _, shown := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(shown.Tag.Get("json"), ",")
		at := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name && f.Kind == kind.Text && f.Words == nil })
		if words := shown.Tag.Get("enum"); words != "" && at >= 0 {
			s.Fields[at].Words = strings.Split(words, ",")
		}
	}

	return s
}
