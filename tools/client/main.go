// Command client creates, changes, reads, lists and deletes a contact with the client that oapi-codegen makes of the OpenAPI document of the
// service. What the document has wrong does not compile. Its client.gen.go is made by tools/client/check.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	_ "github.com/oapi-codegen/runtime" // what is generated needs it
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
	fmt.Println("client: Go, types of all areas: created, changed, read, listed and deleted a contact")
}

func run(ctx context.Context, url, token string) error {
	client, err := NewClientWithResponses(url, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)

		return nil
	}))
	if err != nil {
		return err
	}
	made, err := client.ContactsCreateContactWithResponse(ctx, nil, ContactsContactCreateRequest{
		FirstName: new("Pat"), LastName: new("Moe"), CreditLimit: new("12500.00"),
	})
	if err != nil || made.JSON200 == nil {
		return errors.Join(err, fmt.Errorf("create: %s", made.Body))
	}
	id, tag := made.JSON200.Uuid, made.HTTPResponse.Header.Get("ETag")
	changed, err := client.ContactsUpdateContactWithResponse(ctx, id, &ContactsUpdateContactParams{IfMatch: &tag}, ContactsContactUpdateRequest{LastName: new("Noe")})
	if err != nil || changed.JSON200 == nil {
		return errors.Join(err, fmt.Errorf("update: %s", changed.Body))
	}
	stale, err := client.ContactsUpdateContactWithResponse(ctx, id, &ContactsUpdateContactParams{IfMatch: &tag}, ContactsContactUpdateRequest{LastName: new("Loe")})
	if err != nil || stale.JSON412 == nil || stale.JSON412.Code != "web.stale" {
		return errors.Join(err, fmt.Errorf("update of another version: %s", stale.Body))
	}
	listed, err := client.ContactsListContactsWithResponse(ctx, &ContactsListContactsParams{Filter: &map[string]string{"last_name": "Noe"}})
	if err != nil || listed.JSON200 == nil || len(listed.JSON200.Data) != 1 || listed.JSON200.Data[0].Uuid != id {
		return errors.Join(err, fmt.Errorf("list: %s", listed.Body))
	}
	removed, err := client.ContactsDeleteContactWithResponse(ctx, id, nil)
	if err != nil || removed.StatusCode() != http.StatusNoContent {
		return errors.Join(err, fmt.Errorf("delete: %s", removed.Body))
	}
	gone, err := client.ContactsReadContactWithResponse(ctx, id, nil)
	if err != nil || gone.JSON404 == nil || gone.JSON404.Code != "contacts.contact_not_found" {
		return errors.Join(err, fmt.Errorf("read: %s", gone.Body))
	}

	return nil
}
