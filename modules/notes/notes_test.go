package notes_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/notes"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const base = "/notes/api/v1/notes"

type object = map[string]any

// yard has a spot of every id.
type yard struct{}

func (*yard) describe(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	found := map[uuid.UUID]item.Description{}
	for _, id := range ids {
		found[id] = item.Description{Title: "Spot"}
	}

	return found, nil
}

func each(t *testing.T, test func(t *testing.T, a *moduletest.App), options ...moduletest.Option) {
	t.Helper()
	moduletest.BootEach(t, []module.Module{collections.Module, notes.Module, module.New("yard", "Spots",
		fx.Provide(func() *yard { return &yard{} }, fx.Private), item.Type("yard.spot", "Spot", (*yard).describe, nil, nil),
	)}, test, options...)
}

func spot() object { return object{"type": "yard.spot", "uuid": uuid.NewString()} }

// newUser returns the id and a token of a new user.
func newUser(t *testing.T, a *moduletest.App, name string) (id, token string) {
	t.Helper()
	user, err := a.Identity.CreateUser(t.Context(), identity.NewUser{Company: a.Owner.ID, Name: name, Email: name + "@example.com", Role: identity.Dispatcher})
	require.NoError(t, err)
	_, token, err = a.Identity.IssueToken(t.Context(), identity.NewToken{Company: a.Owner.ID, User: user.ID, Name: "x", Scopes: []string{"notes:read", "notes:write"}})
	require.NoError(t, err)

	return user.ID.String(), token
}

func TestNotes_OfAnItemComePinnedFirst(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		about := spot()
		for _, n := range []object{{"body": "First"}, {"body": "Pinned", "pinned": true}, {"body": "Gate CODE 1942"}} {
			n["item"] = about
			a.Call(t, a.Owner.Token, http.MethodPost, base, n).OK(t)
		}
		a.Call(t, a.Owner.Token, http.MethodPost, base, object{"body": "Gate code of another one", "item": spot()}).OK(t)
		of := base + "?filter[item_type]=yard.spot&filter[item_uuid]=" + about["uuid"].(string)
		listed := a.Call(t, a.Owner.Token, http.MethodGet, of, nil).OK(t)
		require.JSONEq(t, `["Pinned", "Gate CODE 1942", "First"]`, listed.Get("data.#.body").Raw)
		require.Equal(t, int64(1), a.Call(t, a.Owner.Token, http.MethodGet, of+"&q=gate+code", nil).OK(t).Get("data.#").Int())
		require.Equal(t, "internal", listed.Get("data.0.visibility").String())
	})
}

func TestNote_IsItsAuthorsToChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		_, ann := newUser(t, a, "ann")
		_, bob := newUser(t, a, "bob")
		at := a.Call(t, ann, http.MethodPost, base, object{"body": "Mine", "item": spot()}).OK(t).Header.Get("Location")
		a.Call(t, bob, http.MethodGet, at, nil).OK(t)
		a.Call(t, bob, http.MethodPatch, at, object{"body": "Yours"}).Refused(t, http.StatusForbidden, "notes.not_yours")
		a.Call(t, bob, http.MethodDelete, at, nil).Refused(t, http.StatusForbidden, "notes.not_yours")
		a.Call(t, ann, http.MethodPatch, at, object{"body": "Still mine"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"body": "Corrected"}).OK(t)
		a.Call(t, ann, http.MethodPatch, at, object{"item": spot()}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		a.Call(t, ann, http.MethodDelete, at, nil).OK(t)
		a.Call(t, bob, http.MethodPost, at+"/restore", nil).Refused(t, http.StatusForbidden, "notes.not_yours")
		a.Call(t, ann, http.MethodPost, at+"/restore", nil).OK(t)
		require.Equal(t, []string{"notes.note.created", "notes.note.updated", "notes.note.updated", "notes.note.deleted"}, a.EventNames(t, a.Owner))
	})
}

func TestNote_TellsEachUserOnceOfAMention(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		ann, _ := newUser(t, a, "ann")
		bob, _ := newUser(t, a, "bob")
		at := a.Call(t, a.Owner.Token, http.MethodPost, base, object{"body": "@ann", "mentions": []string{ann, ann}, "item": spot()}).OK(t).Header.Get("Location")
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"mentions": []string{bob, ann}}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"body": "Never mind"}).OK(t)
		var mentioned []string
		for _, e := range a.Events(t, a.Owner) {
			if e.Name == "notes.note.mentioned" {
				mentioned = append(mentioned, e.Get("user_uuid").String())
			}
		}
		require.Equal(t, []string{ann, bob}, mentioned)
		refused := a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"mentions": []string{a.Owner.ID.String()}})
		refused.Refused(t, http.StatusUnprocessableEntity, "notes.invalid_note")
		require.True(t, refused.Get(`errors.mentions\.0`).Exists())
	})
}

func TestNote_IsPinnedWithinTheLimit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		about := spot()
		first := a.Call(t, a.Owner.Token, http.MethodPost, base, object{"body": "1", "pinned": true, "item": about}).OK(t).Header.Get("Location")
		refused := a.Call(t, a.Owner.Token, http.MethodPost, base, object{"body": "2", "pinned": true, "item": about})
		refused.Refused(t, http.StatusUnprocessableEntity, "notes.invalid_note")
		require.True(t, refused.Get("errors.pinned").Exists())
		a.Call(t, a.Owner.Token, http.MethodPatch, first, object{"body": "Still pinned"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPatch, first, object{"pinned": false}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, base, object{"body": "2", "pinned": true, "item": about}).OK(t)
	}, moduletest.Set("modules.notes.max_pinned=1"))
}

func TestNotes_WrittenTogetherArePinnedWithinTheLimitAndTellOfMentions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		bulk := func(items ...object) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, "/collections/api/v1/collections/notes.note/bulk", object{"atomic": false, "items": items}).OK(t)
		}
		ann, _ := newUser(t, a, "ann")
		about := spot()
		pinned := object{"do": "create", "payload": object{"body": "Pinned", "pinned": true, "item": about}}
		made := bulk(pinned, pinned, object{"do": "create", "payload": object{"body": "@ann", "mentions": []string{ann}, "item": about}},
			object{"do": "create", "payload": object{"body": "@nobody", "mentions": []string{about["uuid"].(string)}, "item": about}})
		require.Equal(t, "[true,false,true,false]", made.Get("data.#.ok").Raw, string(made.Body))
		require.True(t, made.Get(`data.1.error.errors.payload\.pinned`).Exists())
		require.True(t, made.Get(`data.3.error.errors.payload\.mentions\.0`).Exists())
		require.Equal(t, 1, count(a.EventNames(t, a.Owner), "notes.note.mentioned"))
		first, second := made.Get("data.0.record.uuid").String(), made.Get("data.2.record.uuid").String()

		swapped := bulk(object{"do": "update", "uuid": first, "payload": object{"pinned": false}}, object{"do": "update", "uuid": second, "payload": object{"pinned": true}}, pinned)
		require.Equal(t, "[true,true,false]", swapped.Get("data.#.ok").Raw, string(swapped.Body))
		require.Equal(t, "[true,true,false]", bulk(object{"do": "delete", "uuid": second}, pinned, pinned).Get("data.#.ok").Raw)

		took := map[int]int64{}
		for _, n := range []int{10, 100} {
			items := make([]object, n)
			for i := range items {
				items[i] = object{"do": "create", "payload": object{"body": "@ann", "mentions": []string{ann}, "pinned": true, "item": spot()}}
			}
			took[n] = a.Sent(func() { bulk(items...) })
		}
		require.Less(t, took[100], took[10]+20, "%v", took)
	}, moduletest.Set("modules.notes.max_pinned=1"))
}

func count(names []string, name string) (n int) {
	for _, one := range names {
		if one == name {
			n++
		}
	}

	return n
}

func TestNote_RefusesAnEmptyOneAndALongOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		long := make([]byte, 10_001)
		for i := range long {
			long[i] = 'x'
		}
		for _, body := range []object{{"body": " ", "item": spot()}, {"body": string(long), "item": spot()}, {"body": "x"}, {"body": "x", "item": spot(), "visibility": "all"}} {
			require.Equal(t, http.StatusUnprocessableEntity, a.Call(t, a.Owner.Token, http.MethodPost, base, body).Status)
		}
	})
}
