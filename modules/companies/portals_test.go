package companies_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	follow link.Purpose = "parcels.follow"
	haul   link.Purpose = "parcels.haul"
)

// sender is whom the links of parcels are given to.
var sender = link.Subject{Type: "contacts.contact", ID: uuid.MustParse("0190d0c0-0000-7000-8000-000000000c01")}

type openInput struct {
	Link string `path:"link" maxLength:"100"`
}

type openOutput struct {
	Body struct {
		Parcel uuid.UUID `json:"parcel_uuid"`
	}
}

// post is what makes and opens the links of parcels.
type post struct {
	given *share.Service
	links *link.Service
}

// parcels is an area with links of two portals: /parcels/{uuid}/follow makes one for the sender, /parcels/{uuid}/haul one for a carrier.
func parcels() module.Module {
	subject := func(_ context.Context, id uuid.UUID) (link.Subject, error) { //nolint:unparam // as share.Operations asks
		return link.Subject{Type: "parcels.parcel", ID: id}, nil
	}
	routes := func(p link.Purpose, holder link.Subject) func(*web.Router, post) {
		_, name, _ := strings.Cut(string(p), ".")

		return func(r *web.Router, by post) {
			share.Routes(r, by.given, share.Operations{
				Path: "/parcels/{uuid}/" + name, Name: name, Summary: "to a parcel", Purpose: p, Subject: subject, Errors: []*errs.Error{link.ErrNotFound},
				Give: func(ctx context.Context, id uuid.UUID) (share.Given, error) {
					about, err := subject(ctx, id)

					return share.Given{Purpose: p, Subject: about, Holder: holder, Page: "/parcels/api/v1/" + name + "/"}, err
				},
			})
			web.Register(r, web.Operation{
				Method: http.MethodGet, Path: "/" + name + "/{link}", ID: "open_" + name, Access: web.Public, Summary: "Open a parcel", Errors: link.Refusals,
			}, func(ctx context.Context, in *openInput) (*openOutput, error) {
				_, found, err := by.links.Enter(ctx, p, in.Link)
				out := &openOutput{}
				out.Body.Parcel = found.Subject.ID

				return out, err
			})
		}
	}

	return module.New("parcels", "Parcels",
		link.Declare(follow, link.Rules{Portal: link.Customers, Life: 24 * time.Hour}),
		link.Declare(haul, link.Rules{Portal: link.Carriers, Life: 24 * time.Hour}),
		fx.Provide(func(given *share.Service, links *link.Service) post { return post{given, links} }, fx.Private),
		web.Routes(routes(follow, sender)),
		web.Routes(routes(haul, link.Subject{})),
	)
}

// eachWithParcels is each with the area of parcels.
func eachWithParcels(t *testing.T, test func(t *testing.T, a app)) {
	t.Helper()
	moduletest.BootEach(t, append(areas(), parcels()), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, app{App: a})
	})
}

// given is a link to a parcel.
type given struct{ id, url string }

// give makes a link, of "follow" or "haul", in the name of a token.
func (a app) give(t *testing.T, token, what string) given {
	t.Helper()
	made := a.Call(t, token, http.MethodPost, "/parcels/api/v1/parcels/"+uuid.NewString()+"/"+what, fields{}).OK(t)

	return given{made.Get("uuid").String(), made.Get("url").String()}
}

func (a app) open(t *testing.T, l given) moduletest.Response {
	t.Helper()

	return a.Call(t, "", http.MethodGet, l.url, nil)
}

func (a app) switchPortal(t *testing.T, portal string, on bool) moduletest.Response {
	t.Helper()

	return a.patch(t, a.Owner.Token, "/portals/"+portal, fields{"on": on}).OK(t)
}

func TestPortal_ThatIsOffRefusesItsLinksAndNewOnes(t *testing.T) {
	t.Parallel()
	eachWithParcels(t, func(t *testing.T, a app) {
		t.Helper()
		other := a.NewCompany(t)
		mine, carriers, theirs := a.give(t, a.Owner.Token, "follow"), a.give(t, a.Owner.Token, "haul"), a.give(t, other.Token, "follow")

		off := a.switchPortal(t, "customers", false)
		require.False(t, off.Get("on").Bool())
		require.NotEmpty(t, off.Get("off_since").String())
		a.switchPortal(t, "customers", false)
		a.open(t, mine).Refused(t, http.StatusNotFound, "link.unavailable")
		a.open(t, carriers).OK(t)
		a.open(t, theirs).OK(t)
		refused := a.Call(t, a.Owner.Token, http.MethodPost, "/parcels/api/v1/parcels/"+uuid.NewString()+"/follow", fields{}).
			Refused(t, http.StatusConflict, "link.portal_off")
		require.Equal(t, "customers", refused.Get("details.portal").String())
		require.Contains(t, refused.Get("message").String(), `PATCH /companies/api/v1/portals/customers with {"on": true}`)

		require.True(t, a.switchPortal(t, "customers", true).Get("on").Bool())
		a.open(t, mine).OK(t)
		a.give(t, a.Owner.Token, "follow")
		require.Equal(t, 2, count(a.Audited(t, a.Owner), "companies.portal_updated"), "what changes nothing is not recorded")
	})
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}

	return n
}

func TestPortals_AreListedWithTheirLiveLinks(t *testing.T) {
	t.Parallel()
	eachWithParcels(t, func(t *testing.T, a app) {
		t.Helper()
		a.give(t, a.Owner.Token, "haul")
		revoked := a.give(t, a.Owner.Token, "haul")
		a.post(t, a.Owner.Token, "/links/"+revoked.id+"/revoke", nil).OK(t)
		a.give(t, a.NewCompany(t).Token, "haul")
		portals := a.get(t, a.Owner.Token, "/portals").OK(t)
		require.JSONEq(t, `[
			{"portal": "customers", "on": true, "off_since": null, "off_by_uuid": null, "live_links": 0, "purposes": ["parcels.follow"]},
			{"portal": "carriers", "on": true, "off_since": null, "off_by_uuid": null, "live_links": 1, "purposes": ["parcels.haul"]},
			{"portal": "drivers", "on": true, "off_since": null, "off_by_uuid": null, "live_links": 0, "purposes": []}
		]`, portals.Get("data").Raw)
		a.patch(t, a.Owner.Token, "/portals/brokers", fields{"on": false}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestLinks_AreListedWithoutTheirText(t *testing.T) {
	t.Parallel()
	eachWithParcels(t, func(t *testing.T, a app) {
		t.Helper()
		first, second := a.give(t, a.Owner.Token, "follow"), a.give(t, a.Owner.Token, "haul")
		a.give(t, a.NewCompany(t).Token, "follow")
		a.post(t, a.Owner.Token, "/invitations", fields{"email": "ann@example.com", "name": "Ann", "role": "viewer"}).OK(t)

		listed := a.get(t, a.Owner.Token, "/links").OK(t)
		require.JSONEq(t, `["companies.invitation", "parcels.haul", "parcels.follow"]`, listed.Get("data.#.purpose").Raw, "newest first")
		require.Equal(t, second.id, listed.Get("data.1.uuid").String())
		one := listed.Get("data.2")
		require.Equal(t, first.id, one.Get("uuid").String())
		require.Equal(t, "customers", one.Get("portal").String())
		require.Equal(t, sender.Type, one.Get("holder_type").String())
		require.Equal(t, sender.ID.String(), one.Get("holder_uuid").String())
		require.Equal(t, "live", one.Get("state").String())
		require.Contains(t, first.url, one.Get("prefix").String())
		for _, l := range []given{first, second} {
			require.NotContains(t, string(listed.Body), l.url[strings.LastIndex(l.url, "/")+1:])
		}
		require.Equal(t, "null", listed.Get("data.0.portal").Raw)
	})
}

func TestLinks_AreFilteredAndPaged(t *testing.T) {
	t.Parallel()
	eachWithParcels(t, func(t *testing.T, a app) {
		t.Helper()
		first, second, third := a.give(t, a.Owner.Token, "follow"), a.give(t, a.Owner.Token, "haul"), a.give(t, a.Owner.Token, "follow")
		a.post(t, a.Owner.Token, "/links/"+first.id+"/revoke", nil).OK(t)
		for query, found := range map[string][]given{
			"filter[purpose]=parcels.haul":                              {second},
			"filter[portal]=customers":                                  {third, first},
			"filter[portal]=customers&live=true":                        {third},
			"filter[portal]=drivers":                                    nil,
			"live=true":                                                 {third, second},
			"filter[holder_uuid]=" + sender.ID.String() + "&sort=uuid":  {first, third},
			"filter[holder_uuid]=" + uuid.NewString():                   nil,
			"filter[portal]=customers&filter[purpose]=parcels.haul":     nil,
			"filter[purpose][in]=parcels.haul,parcels.follow&live=true": {third, second},
		} {
			ids := []string{}
			for _, l := range a.get(t, a.Owner.Token, "/links?"+query).OK(t).Get("data.#.uuid").Array() {
				ids = append(ids, l.String())
			}
			wanted := []string{}
			for _, l := range found {
				wanted = append(wanted, l.id)
			}
			require.Equal(t, wanted, ids, query)
		}
		page := a.get(t, a.Owner.Token, "/links?per_page=2&live=true&filter[portal]=customers").OK(t)
		require.Equal(t, "null", page.Get("meta.next_cursor").Raw)
		page = a.get(t, a.Owner.Token, "/links?per_page=2").OK(t)
		next := a.get(t, a.Owner.Token, "/links?per_page=2&cursor="+page.Get("meta.next_cursor").String()).OK(t)
		require.Equal(t, first.id, next.Get("data.0.uuid").String())
		wrong := a.get(t, a.Owner.Token, "/links?filter[purpose]=parcels.hual").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		require.Contains(t, string(wrong.Body), "parcels.haul")
	})
}

func TestLink_IsRevokedByItsCompanyAlone(t *testing.T) {
	t.Parallel()
	eachWithParcels(t, func(t *testing.T, a app) {
		t.Helper()
		made := a.give(t, a.Owner.Token, "follow")
		path := "/links/" + made.id + "/revoke"
		a.post(t, a.NewCompany(t).Token, path, nil).Refused(t, http.StatusNotFound, "link.not_found")
		a.open(t, made).OK(t)
		first := a.post(t, a.Owner.Token, path, nil).OK(t)
		require.Equal(t, "revoked", first.Get("state").String())
		a.open(t, made).Refused(t, http.StatusNotFound, "link.revoked")
		again := a.post(t, a.Owner.Token, path, nil).OK(t)
		require.Equal(t, first.Get("revoked_at").String(), again.Get("revoked_at").String())
		require.Equal(t, 1, count(a.Audited(t, a.Owner), "companies.link_revoked"))
	})
}

func TestLinks_AreRevokedByHolderPortalAndPurpose(t *testing.T) {
	t.Parallel()
	eachWithParcels(t, func(t *testing.T, a app) {
		t.Helper()
		other := a.give(t, a.NewCompany(t).Token, "follow")
		for _, body := range []fields{{"holder_uuid": sender.ID}, {"portal": "customers"}, {"purpose": follow}, {"portal": "customers", "purpose": follow, "holder_uuid": sender.ID}} {
			one, two, kept := a.give(t, a.Owner.Token, "follow"), a.give(t, a.Owner.Token, "follow"), a.give(t, a.Owner.Token, "haul")
			require.EqualValues(t, 2, a.post(t, a.Owner.Token, "/links/revoke", body).OK(t).Get("revoked").Int(), body)
			require.Zero(t, a.post(t, a.Owner.Token, "/links/revoke", body).OK(t).Get("revoked").Int(), body)
			for _, l := range []given{one, two} {
				a.open(t, l).Refused(t, http.StatusNotFound, "link.revoked")
			}
			a.open(t, kept).OK(t)
		}
		a.open(t, other).OK(t)
		require.Equal(t, 4, count(a.Audited(t, a.Owner), "companies.links_revoked"))
		a.post(t, a.Owner.Token, "/links/revoke", fields{}).Refused(t, http.StatusUnprocessableEntity, "link.invalid")
		a.post(t, a.Owner.Token, "/links/revoke", fields{"purpose": "parcels.hual"}).Refused(t, http.StatusUnprocessableEntity, "link.invalid")
	})
}

// Who may end them depends on what the user or the role may do: the operations of users and invitations ask.
func TestLinks_OfUsersAndInvitationsAreRevokedThere(t *testing.T) {
	t.Parallel()
	eachWithParcels(t, func(t *testing.T, a app) {
		t.Helper()
		a.post(t, a.Owner.Token, "/invitations", fields{"email": "ann@example.com", "name": "Ann", "role": "viewer"}).OK(t)
		id := a.get(t, a.Owner.Token, "/links?filter[purpose]=companies.invitation").OK(t).Get("data.0.uuid").String()
		a.post(t, a.Owner.Token, "/links/"+id+"/revoke", nil).Refused(t, http.StatusConflict, "companies.link_of_user")
		a.post(t, a.Owner.Token, "/links/revoke", fields{"purpose": "companies.password_reset"}).Refused(t, http.StatusConflict, "companies.link_of_user")
	})
}

func TestPortals_RequireAScopeOfTheirOwn(t *testing.T) {
	t.Parallel()
	eachWithParcels(t, func(t *testing.T, a app) {
		t.Helper()
		clerk := a.Token(t, a.Owner, "companies:read", "companies:write", "companies:users")
		a.get(t, clerk, "/portals").Refused(t, http.StatusForbidden, "web.scope_missing")
		a.get(t, clerk, "/links").Refused(t, http.StatusForbidden, "web.scope_missing")
		a.patch(t, clerk, "/portals/drivers", fields{"on": false}).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.get(t, a.Token(t, a.Owner, "companies:links"), "/links").OK(t)
	})
}
