package exchange

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// lookup finds what cells name otherwise than by a UUID: rows of other collections by a unique field or their title,
// users by their e-mail address or name. The cells of a part of a file are looked up together.
type lookup struct {
	collections *collection.Registry
	people      people
}

// namesakes are the ids of those that have a name.
type namesakes map[string][]uuid.UUID

// resolve looks up what the cells of a part of a file name.
func (p *plan) resolve(ctx context.Context, rows []sourceRow) error {
	if p.importRow.lines() {
		return nil
	}
	for i := range p.columns {
		c := &p.columns[i]
		if c.Field == nil || !c.User && c.Refers == "" {
			continue
		}
		asked := map[string]bool{}
		for _, row := range rows {
			if i >= len(row.Cells) {
				continue
			}
			text, _ := p.importRow.cell(row.Cells[i])
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			if _, err := field.ParseUUID(text); err != nil {
				asked[text] = true
			}
		}
		if len(asked) == 0 {
			continue
		}
		var err error
		if c.User {
			c.named, err = p.lookup.users(ctx, slices.Sorted(maps.Keys(asked)))
		} else {
			c.named, err = p.lookup.rows(ctx, c.Refers, slices.Sorted(maps.Keys(asked)))
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// read makes JSON of a cell that is a value.
func (p *plan) read(i int, text string) ([]byte, error) {
	c := p.columns[i]
	if c.Field != nil && (c.User || c.Refers != "") && !p.importRow.lines() {
		name := strings.TrimSpace(text)
		if _, err := field.ParseUUID(name); err != nil && name != "" {
			id, err := c.uniqueTarget(name)
			if err != nil {
				return nil, err
			}
			text = id.String()
		}
	}

	return p.importRow.json(c.Field, c.reader, text)
}

// uniqueTarget returns what a name stands for, if that is one thing.
func (c planned) uniqueTarget(name string) (uuid.UUID, error) {
	ids := c.named[name]
	switch {
	case len(ids) == 1:
		return ids[0], nil
	case len(ids) > 1:
		return uuid.Nil, field.Error("is ambiguous: " + strconv.Itoa(len(ids)) + " have it; such as " + ids[0].String())
	case c.User:
		return uuid.Nil, field.Error("is no user's e-mail address or name")
	}

	return uuid.Nil, field.Error("names nothing that the column may refer to: it is no unique value, title, e-mail address, phone number or uuid")
}

// rows finds rows by their unique fields, those that are left by their titles, and then by their e-mail addresses and phone
// numbers. Where the caller may not read the rows, there are none.
func (l lookup) rows(ctx context.Context, name collection.Name, names []string) (namesakes, error) {
	from, err := l.collections.Open(ctx, name, collection.Read)
	if err == nil {
		var d collection.Description
		if d, err = from.Describe(ctx); err == nil {
			return byFields(ctx, from, d, names)
		}
	}
	if errs.KindOf(err) == errs.NotFound || errs.KindOf(err) == errs.Forbidden {
		return namesakes{}, nil
	}

	return nil, err
}

func byFields(ctx context.Context, from collection.Collection, d collection.Description, names []string) (namesakes, error) {
	all := namesakes{}
	for _, identifies := range []func(collection.Field) bool{
		func(f collection.Field) bool { return f.Unique },
		func(f collection.Field) bool { return f.Title },
		func(f collection.Field) bool { return f.Type == "email" || f.Type == "phone" },
	} {
		for i, f := range d.Fields {
			if !identifies(f) {
				continue
			}
			left := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return len(all[n]) > 0 })
			for some := range slices.Chunk(left, list.MaxListed) {
				find := byField
				if f.Folded {
					find = byFolded
				}
				if err := find(ctx, from, d, i, some, all); err != nil {
					return nil, err
				}
			}
		}
	}

	return all, nil
}

// mostPages is how many pages of rows with the same names are read: whoever has more is ambiguous long since.
const mostPages = 5

// valuesByName are the values of a field that names are, each with its names.
func valuesByName(f collection.Field, names []string) map[string][]string {
	all := map[string][]string{}
	for _, name := range names {
		raw, err := f.Read(name)
		if err == nil {
			raw, err = f.Check(raw)
		}
		if err == nil && !isNull(raw) {
			all[string(raw)] = append(all[string(raw)], name)
		}
	}

	return all
}

// byFolded finds rows by the values of a field that is unique without regard to case, say.
func byFolded(ctx context.Context, from collection.Collection, d collection.Description, i int, names []string, all namesakes) error {
	f, same := d.Fields[i], map[string][]string{}
	finder, ok := from.(collection.Finder)
	if !ok {
		return fmt.Errorf("collection %s: field %s is folded, but Holders is missing", d.Name, f.Key)
	}
	for raw, names := range valuesByName(f, names) {
		if key := f.Same([]byte(raw)); key != "" {
			same[key] = append(same[key], names...)
		}
	}
	if len(same) == 0 {
		return nil
	}
	holders, err := finder.Holders(ctx, f.ID, slices.Collect(maps.Keys(same)))
	if err != nil {
		return fmt.Errorf("references to collection %s: %w", d.Name, err)
	}
	for key, id := range holders {
		for _, name := range same[key] {
			all[name] = append(all[name], id)
		}
	}

	return nil
}

// byField finds rows by the values of a field. A field by which the collection does not filter finds none.
func byField(ctx context.Context, from collection.Collection, d collection.Description, i int, names []string, all namesakes) error {
	f := d.Fields[i]
	meant, values := valuesByName(f, names), []string{}
	for raw := range meant {
		values = append(values, filterValue(rawjson.Text([]byte(raw))))
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	key := f.Key
	if d.Under != "" {
		key = d.Under + "." + f.Key
	}
	query := url.Values{"filter[" + f.Key + "][in]": {strings.Join(values, ",")}, "fields": {key}, "per_page": {strconv.Itoa(list.MaxPerPage)}}
	for range mostPages {
		in := list.FromQuery("", query)
		page, err := from.Page(ctx, uuid.Nil, &in)
		if errs.KindOf(err) == errs.Invalid {
			return nil
		}
		if err != nil {
			return fmt.Errorf("references to collection %s: %w", d.Name, err)
		}
		at := slices.IndexFunc(page.Description.Fields, func(now collection.Field) bool { return now.ID == f.ID })
		for _, row := range page.Rows {
			if at < 0 {
				continue
			}
			for _, name := range meant[string(row.Values[at])] {
				all[name] = append(all[name], row.UUID)
			}
		}
		if page.Next == "" {
			return nil
		}
		query.Set("cursor", page.Next)
	}

	return nil
}

// filterValue writes a value of a list in a filter.
func filterValue(value string) string {
	return strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(value)
}

// users finds users by their e-mail addresses, with or without a name before them, and by their names.
func (l lookup) users(ctx context.Context, names []string) (namesakes, error) {
	all := namesakes{}
	byKey := map[string]map[string][]string{"email": {}, "name": {}}
	for _, name := range names {
		key, value := "name", name
		if address := cell.Mailbox(name); strings.Contains(address, "@") {
			key, value = "email", strings.ToLower(address)
		}
		byKey[key][value] = append(byKey[key][value], name)
	}
	for key, meant := range byKey {
		for some := range slices.Chunk(slices.Sorted(maps.Keys(meant)), list.MaxListed) {
			for i := range some {
				some[i] = filterValue(some[i])
			}
			in := list.FromQuery("", url.Values{"filter[" + key + "][in]": {strings.Join(some, ",")}, "per_page": {strconv.Itoa(list.MaxPerPage)}})
			q, err := in.Parse(ctx, identity.UserSchema)
			if err != nil {
				return nil, fmt.Errorf("users by %s: %w", key, err)
			}
			page, err := l.people.PageUsers(ctx, q)
			if err != nil {
				return nil, fmt.Errorf("users by %s: %w", key, err)
			}
			for _, user := range page.Data {
				value := user.Name
				if key == "email" {
					value = user.Email
				}
				for _, name := range meant[value] {
					all[name] = append(all[name], user.ID)
				}
			}
		}
	}

	return all, nil
}
