package contacts

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

// valuesAtOnce is the number of key values whose pairs are read by one statement.
const valuesAtOnce = 100

// pairQuery selects pairs of contacts that may be duplicates.
type pairQuery struct {
	contact *uuid.UUID // nil for all
	least   int64      // the lowest score
	after   pair       // the pair before the first; its zero value is the beginning
}

// pairs walks the keys from the strongest kind to the weakest, each in the order of its index, until it has enough pairs.
func (s *duplicates) pairs(ctx context.Context, q pairQuery, most int) (all []pair, err error) {
	for _, kind := range kinds {
		if weights[kind] < q.least || (q.after.Kind != "" && weights[kind] > q.after.Weight) {
			continue
		}
		if kind != q.after.Kind {
			q.after = pair{Kind: kind, Weight: weights[kind]}
		}
		for {
			values, err := s.candidates(ctx, q)
			if err != nil {
				return nil, err
			}
			found, err := s.rows.pairs(ctx, q, values, most-len(all))
			if all = append(all, found...); err != nil || len(all) == most {
				return all, err
			}
			if len(values) < valuesAtOnce {
				break
			}
			q.after = pair{Kind: kind, Weight: weights[kind], Value: values[len(values)-1] + "\x01"} // the least value behind it
		}
	}

	return all, nil
}

func (s *duplicates) candidates(ctx context.Context, q pairQuery) ([]string, error) {
	if q.contact != nil {
		return s.rows.keysHeldBy(ctx, *q.contact, q.after.Kind, q.after.Value, valuesAtOnce)
	}

	return s.rows.sharedValues(ctx, q.after.Kind, q.after.Value, valuesAtOnce)
}

// cursorOf is the content of a cursor.
type cursorOf struct {
	Contact *uuid.UUID `json:"c,omitempty"`
	Least   int64      `json:"l"`
	Kind    keyKind    `json:"k"`
	Value   string     `json:"v"`
	First   uuid.UUID  `json:"a"`
	Second  uuid.UUID  `json:"b"`
}

// cursor is the cursor of the page after a pair.
func (q pairQuery) cursor(last pair) string {
	text, err := json.Marshal(cursorOf{q.contact, q.least, last.Kind, last.Value, last.FirstID, last.SecondID})
	if err != nil {
		return "" // texts and ids always have a form
	}

	return base64.RawURLEncoding.EncodeToString(text)
}

// resume continues the query after the pair of a cursor; "" is the beginning.
func (q *pairQuery) resume(cursor string) error {
	if cursor == "" {
		return nil
	}
	var at cursorOf
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(text, &at) != nil || weights[at.Kind] == 0 || strings.ContainsRune(at.Value, 0) {
		return list.ErrCursorInvalid.WithField("cursor", list.ErrCursorInvalid.Message)
	}
	if at.Least != q.least || (at.Contact == nil) != (q.contact == nil) || (at.Contact != nil && *at.Contact != *q.contact) {
		return list.ErrCursorMismatch.WithField("cursor", list.ErrCursorMismatch.Message)
	}
	q.after = pair{Kind: at.Kind, Weight: weights[at.Kind], Value: at.Value, FirstID: at.First, SecondID: at.Second}

	return nil
}
