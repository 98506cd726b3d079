package numbers

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

// NumberBody is a number as the API shows it.
type NumberBody struct {
	UUID         uuid.UUID             `json:"uuid"`
	AccountUUID  uuid.UUID             `json:"account_uuid"`
	Number       string                `json:"number" doc:"E.164."`
	Kind         provider.Kind         `json:"kind" enum:"local,toll_free,mobile"`
	Label        string                `json:"label"`
	Capabilities capabilities          `json:"capabilities"`
	Registration provider.Registration `json:"registration" enum:"unknown,not_required,unregistered,pending,registered,rejected" doc:"Whether the carriers of the United States let it send (10DLC, verification of toll-free numbers)."`
	UserUUID     *uuid.UUID            `json:"user_uuid" doc:"The user it is assigned to; null for everyone."`
	PerMinute    int64                 `json:"per_minute" doc:"How many messages it may send in a minute; 0 is no limit."`
	State        string                `json:"state" enum:"pending,active,releasing,released,failed"`
	Problem      *string               `json:"problem" doc:"Why it could not be bought or released."`
	ReleasedAt   *time.Time            `json:"released_at"`
	Version      int64                 `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt    time.Time             `json:"created_at"`
	UpdatedAt    time.Time             `json:"updated_at"`

	Account *accounts.AccountBody `json:"account,omitempty" doc:"In lists, with expand=account."`
}

type capabilities struct {
	SMS   bool `json:"sms"`
	MMS   bool `json:"mms"`
	Voice bool `json:"voice"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (capabilities) SchemaName() string { return "SmsCapabilities" }

// SchemaName is the name of the body in the OpenAPI document.
func (NumberBody) SchemaName() string { return "SmsNumber" }

// NewNumberBody returns a NumberBody.
func NewNumberBody(row store.Number) NumberBody {
	return NumberBody{
		UUID: row.ID, AccountUUID: row.AccountID, Number: row.Number, Kind: row.Kind, Label: row.Label,
		Capabilities: capabilities{SMS: row.SMS, MMS: row.MMS, Voice: row.Voice}, Registration: row.Registration, UserUUID: row.UserID,
		PerMinute: row.PerMinute, State: row.State, Problem: web.Optional(row.Problem), ReleasedAt: row.ReleasedAt,
		Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

func numberResource(row store.Number, err error) (*web.Resource[NumberBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(NewNumberBody(row), row.Version, store.BasePath+"/numbers/"+row.ID.String()), nil
}
