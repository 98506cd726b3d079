package feed

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/fmcsa"
)

// filingTarget is the table of all sets but the census.
type filingTarget struct {
	repository *Repository
	set        set
	name       string
	at         indexes
}

func newFilingTarget(repository *Repository, s set, name string, head []string) (*filingTarget, []string) {
	at, missing := s.indexes(head)

	return &filingTarget{repository: repository, set: s, name: name, at: at}, missing
}

var errNoNumber = errors.New("the row has neither a USDOT number nor a docket")

func (t *filingTarget) read(cells []string) (line, error) {
	text := func(at int) string {
		if at < 0 {
			return ""
		}

		return spaced(cells[at])
	}
	f := Filing{SetName: t.name, Docket: docketOf(text(t.at.docket))}
	number := text(t.at.usdot)
	kept, blank := make(Row, len(t.at.kept)), true
	for i, at := range t.at.kept {
		if v := text(at); v != "" {
			kept[t.set.columns[i][0]], blank = v, false
		}
	}
	if t.set.difference && blank && f.Docket != "" {
		return line{gone: f.Docket}, nil
	}
	if strings.Trim(number, "0") != "" {
		u, err := fmcsa.ParseUSDOT(number)
		if err != nil {
			return line{}, err
		}
		f.USDOT = u.Number
	}
	if f.USDOT == 0 {
		return line{}, errNoNumber
	}
	body, err := json.Marshal(kept)
	if err != nil {
		return line{}, err
	}
	f.Body, f.RowKey = string(body), t.rowKey(f, kept)
	f.Digest = Hashed(number, f.Docket, f.Body)

	return line{key: f.RowKey, digest: f.Digest, filing: f}, nil
}

// rowKey is a hash of what tells the row apart from the others of its set.
func (t *filingTarget) rowKey(f Filing, kept Row) int64 {
	parts := []string{strconv.FormatInt(f.USDOT, 10), f.Docket}
	if len(t.set.keys) == 0 {
		return Hashed(append(parts, f.Body)...)
	}
	for _, k := range t.set.keys {
		parts = append(parts, kept[k])
	}

	return Hashed(parts...)
}

// docketOf returns a docket in its normal form: some sets pad it. One that cannot be read stays unchanged.
func docketOf(text string) string {
	if text == "" {
		return ""
	}
	d, err := fmcsa.ParseDocket(text)
	if err != nil {
		return text
	}

	return d.String()
}

func (t *filingTarget) ledger(ctx context.Context, keys []int64) (*ledger, error) {
	if t.set.difference {
		return t.repository.someFilings(ctx, t.name, keys)
	}

	return t.repository.filingLedger(ctx, t.name)
}

func (t *filingTarget) write(ctx context.Context, all []line) error {
	rows := make([]Filing, len(all))
	for i, l := range all {
		rows[i] = l.filing
	}

	return t.repository.putFilings(ctx, rows)
}

func (t *filingTarget) delete(ctx context.Context, keys []int64) error {
	return t.repository.deleteFilings(ctx, t.name, keys)
}

func (*filingTarget) finish(context.Context) error { return nil }

func (*filingTarget) close() error { return nil }
