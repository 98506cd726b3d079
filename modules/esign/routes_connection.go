package esign

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/connection"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

// connectionPath is where an account's connection is.
const connectionPath = "/accounts/{uuid}"

// tokenPath is where vendors get tokens.
const tokenPath = "/connection/token"

// connectionHandlers answer the operations on how notifications arrive.
type connectionHandlers struct {
	store       *store.Repository
	vendors     *accounts.Vendors
	connections *connection.Service
	keys        *connection.Keys
	clients     *connection.Clients
}

func newConnectionHandlers(r *store.Repository, v *accounts.Vendors, c *connection.Service, k *connection.Keys, cl *connection.Clients) *connectionHandlers {
	return &connectionHandlers{store: r, vendors: v, connections: c, keys: k, clients: cl}
}

func connectionRoutes(r *web.Router, s *connectionHandlers) {
	manage := web.Scope("accounts")
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: connectionPath + "/connection", ID: "read_connection", Access: web.Read,
		Summary: "Read how notifications of an account arrive and are verified", Errors: []*errs.Error{store.ErrAccount},
	}, s.getConnection)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: connectionPath + "/verification", ID: "set_verification", Access: manage,
		Summary: "Say how notifications of an account are verified", Errors: []*errs.Error{store.ErrAccount},
	}, s.putVerification)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: connectionPath + "/rotate_callback", ID: "rotate_callback", Access: manage,
		Summary:     "Give an account another address for notifications",
		Description: "What comes to the old one is answered 404 from then on: tell the provider first.",
		Errors:      []*errs.Error{store.ErrAccount},
	}, s.postRotate)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: connectionPath + "/keys", ID: "list_keys", Access: web.Read,
		Summary: "List the keys by which an account's notifications are signed", Errors: []*errs.Error{store.ErrAccount},
	}, s.getKeys)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: connectionPath + "/keys", ID: "create_key", Access: manage, Summary: "Add a key",
		Description: "Any key of the account is good, so that they can be changed one after the other. No answer has the secret.",
		Errors:      []*errs.Error{store.ErrAccount, store.ErrKeyTaken, store.ErrTooMany},
	}, s.postKey)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: connectionPath + "/keys/{key_uuid}", ID: "delete_key", Access: manage, Summary: "Delete a key",
		Errors: []*errs.Error{store.ErrAccount, store.ErrKey},
	}, s.deleteKey)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: connectionPath + "/clients", ID: "list_clients", Access: web.Read,
		Summary: "List the OAuth clients of an account, the revoked ones too", Errors: []*errs.Error{store.ErrAccount},
	}, s.getClients)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: connectionPath + "/clients", ID: "create_client", Access: manage, Secret: true,
		Summary:     "Make an OAuth client, by which the provider gets tokens for its notifications",
		Description: "The secret is in this answer alone.", Errors: []*errs.Error{store.ErrAccount, store.ErrTooMany},
	}, s.postClient)
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: connectionPath + "/clients/{client_uuid}", ID: "revoke_client", Access: manage,
		Summary: "Revoke an OAuth client and its tokens", Errors: []*errs.Error{store.ErrAccount, store.ErrClient},
	}, s.deleteClient)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: tokenPath, ID: "issue_token", Access: web.Public, Summary: "Get a token for the receiver",
		Description: "OAuth 2.0 client credentials (RFC 6749, 4.4), for providers: a form with grant_type, and client_id and client_secret " +
			"there or as Basic. The token is good for the receiver of one account. Refusals have error and error_description.",
		Consumes: []string{"application/x-www-form-urlencoded"}, Produces: []string{"application/json"}, OAuth: true,
		Headers: [][2]string{{"Cache-Control", "no-store"}, {"Pragma", "no-cache"}}, Status: http.StatusOK,
		Errors: []*errs.Error{store.ErrInvalidRequest, store.ErrInvalidClient, store.ErrGrantType, store.ErrScope, store.ErrUnauthorized},
	}, s.postToken)
}

type connectionInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// connectionBody is how notifications arrive.
type connectionBody struct {
	AccountUUID  uuid.UUID `json:"account_uuid"`
	EndpointUUID uuid.UUID `json:"endpoint_uuid" doc:"What ends the path of the receiver: /connection/callback/{uuid}."`
	CallbackURL  *string   `json:"callback_url" doc:"Where the provider is to send notifications; null if this service has no public address."`
	TokenURL     *string   `json:"token_url" doc:"Where the provider gets tokens with a client."`
	TokenScope   string    `json:"token_scope" doc:"The scope that it asks for."`
	Verification string    `json:"verification" enum:"automatic,bearer,hmac,both,either"`
	Keys         int       `json:"keys" doc:"How many keys there are."`
	Clients      int       `json:"clients" doc:"How many clients there are that are not revoked."`
	Missing      []string  `json:"missing" nullable:"false" doc:"Why notifications would not arrive, for people."`
	Version      int64     `json:"version" doc:"That of the account; the ETag."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (connectionBody) SchemaName() string { return "EsignConnection" }

// showConnection is a connection as the API shows it.
func (s *connectionHandlers) showConnection(ctx context.Context, row store.Account) (*web.Resource[connectionBody], error) {
	keys, err := s.store.KeysOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	clients, err := s.store.ClientsOf(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	b := connectionBody{AccountUUID: row.ID, EndpointUUID: row.EndpointID, TokenScope: connection.TokenScope, Verification: row.Verification, Keys: len(keys), Missing: []string{}, Version: row.Version}
	for _, c := range clients {
		if c.RevokedAt == nil {
			b.Clients++
		}
	}
	if address := s.vendors.CallbackURL(row); address != "" {
		host, _, _ := strings.Cut(address, "/connection/callback/")
		at := host + tokenPath
		b.CallbackURL, b.TokenURL = &address, &at
	} else {
		b.Missing = append(b.Missing, "web.services_url or web.base_url, the public address of this service, is not configured.")
	}
	if (row.Verification == connection.VerifyHMAC || row.Verification == connection.VerifyBoth) && b.Keys == 0 {
		b.Missing = append(b.Missing, "The account has no key, so all notifications are refused: add one, or choose another verification.")
	}
	if row.DisabledAt != nil {
		b.Missing = append(b.Missing, "The account is disabled. Enable it first.")
	}

	return web.NewResource(b, row.Version, "/esign/api/v1/accounts/"+row.ID.String()+"/connection"), nil
}

func (s *connectionHandlers) getConnection(ctx context.Context, in *connectionInput) (*web.Resource[connectionBody], error) {
	row, err := s.vendors.Accounts.One(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return s.showConnection(ctx, row)
}

type verificationInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Verification string `json:"verification" enum:"automatic,bearer,hmac,both,either" doc:"automatic: a token and, once there is a key, a signature too."`
	}
}

func (s *connectionHandlers) putVerification(ctx context.Context, in *verificationInput) (*web.Resource[connectionBody], error) {
	row, err := s.connections.SetVerification(ctx, in.UUID, in.IfMatch, in.Body.Verification)
	if err != nil {
		return nil, err
	}

	return s.showConnection(ctx, row)
}

type rotateInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *connectionHandlers) postRotate(ctx context.Context, in *rotateInput) (*web.Resource[connectionBody], error) {
	row, err := s.connections.Rotate(ctx, in.UUID, in.IfMatch)
	if err != nil {
		return nil, err
	}

	return s.showConnection(ctx, row)
}

// keyBody is a key, without its secret.
type keyBody struct {
	UUID      uuid.UUID  `json:"uuid"`
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"created_at"`
	UsedAt    *time.Time `json:"used_at" doc:"When it has last verified a notification, to the hour; null for never."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (keyBody) SchemaName() string { return "EsignKey" }

type keyOutput struct{ Body keyBody }

type keysOutput struct {
	Body struct {
		Data []keyBody `json:"data" nullable:"false"`
	}
}

func showKey(k store.Key) keyBody {
	return keyBody{UUID: k.ID, Name: k.Name, CreatedAt: k.CreatedAt, UsedAt: k.UsedAt}
}

func (s *connectionHandlers) getKeys(ctx context.Context, in *connectionInput) (*keysOutput, error) {
	if _, err := s.vendors.Accounts.One(ctx, in.UUID); err != nil {
		return nil, err
	}
	rows, err := s.store.KeysOf(ctx, in.UUID)
	out := &keysOutput{}
	out.Body.Data = []keyBody{}
	for _, row := range rows {
		out.Body.Data = append(out.Body.Data, showKey(row))
	}

	return out, err
}

type newKeyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Name   string `json:"name" minLength:"1" maxLength:"100" pattern:"\\S" patternDescription:"text that can be seen"`
		Secret string `json:"secret" minLength:"8" maxLength:"1000" doc:"The key as the provider shows it."`
	}
}

func (s *connectionHandlers) postKey(ctx context.Context, in *newKeyInput) (*keyOutput, error) {
	row, err := s.keys.AddKey(ctx, in.UUID, in.Body.Name, in.Body.Secret)
	if err != nil {
		return nil, err
	}

	return &keyOutput{Body: showKey(row)}, nil
}

type oneKeyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Key  uuid.UUID `path:"key_uuid" format:"uuid"`
}

func (s *connectionHandlers) deleteKey(ctx context.Context, in *oneKeyInput) (*struct{}, error) {
	return nil, s.keys.RemoveKey(ctx, in.UUID, in.Key)
}

// clientBody is an OAuth client, without its secret.
type clientBody struct {
	ClientID  uuid.UUID  `json:"client_id"`
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"created_at"`
	UsedAt    *time.Time `json:"used_at" doc:"When it, or a token of it, was last used, to the hour; null for never."`
	RevokedAt *time.Time `json:"revoked_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (clientBody) SchemaName() string { return "EsignClient" }

func showClient(c store.Client) clientBody {
	return clientBody{ClientID: c.ID, Name: c.Name, CreatedAt: c.CreatedAt, UsedAt: c.UsedAt, RevokedAt: c.RevokedAt}
}

type clientsOutput struct {
	Body struct {
		Data []clientBody `json:"data" nullable:"false"`
	}
}

func (s *connectionHandlers) getClients(ctx context.Context, in *connectionInput) (*clientsOutput, error) {
	if _, err := s.vendors.Accounts.One(ctx, in.UUID); err != nil {
		return nil, err
	}
	rows, err := s.store.ClientsOf(ctx, in.UUID)
	out := &clientsOutput{}
	out.Body.Data = []clientBody{}
	for _, row := range rows {
		out.Body.Data = append(out.Body.Data, showClient(row))
	}

	return out, err
}

type newClientInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"100" pattern:"\\S" patternDescription:"text that can be seen"`
	}
}

type newClientOutput struct{ Body newClientBody }

// newClientBody is a client with its secret.
type newClientBody struct {
	clientBody

	ClientSecret string `json:"client_secret" doc:"Shown this once."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (newClientBody) SchemaName() string { return "EsignClientCreated" }

func (s *connectionHandlers) postClient(ctx context.Context, in *newClientInput) (*newClientOutput, error) {
	row, text, err := s.clients.AddClient(ctx, in.UUID, in.Body.Name)
	if err != nil {
		return nil, err
	}

	return &newClientOutput{Body: newClientBody{clientBody: showClient(row), ClientSecret: text}}, nil
}

type oneClientInput struct {
	UUID   uuid.UUID `path:"uuid" format:"uuid"`
	Client uuid.UUID `path:"client_uuid" format:"uuid"`
}

func (s *connectionHandlers) deleteClient(ctx context.Context, in *oneClientInput) (*struct{}, error) {
	return nil, s.clients.RevokeClient(ctx, in.UUID, in.Client)
}

type tokenInput struct{ web.Raw }

type tokenOutput struct {
	Status int
	Media  string `header:"Content-Type"`
	Body   []byte
}

// postToken is not for the audit trail: a provider may get a token for each notification. When a client was last used is
// written down.
func (s *connectionHandlers) postToken(ctx context.Context, in *tokenInput) (*tokenOutput, error) {
	issued, err := s.clients.Issue(telemetry.WithOperation(ctx, telemetry.Operation{}), in.Header, in.RawBody)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(issued) //nolint:gosec // the token is what was asked for

	return &tokenOutput{Status: http.StatusOK, Media: "application/json", Body: body}, err
}
