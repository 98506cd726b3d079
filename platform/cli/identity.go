package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/identity"
)

func (c *commandLine) company() *cobra.Command {
	return groupCommand("company", "Manage companies, the tenants of this deployment", companyCreate(c), companyList(c), companyFeatures(c))
}

func companyCreate(c *commandLine) *cobra.Command {
	var owner identity.NewUser
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a company, and its owner with --owner-email; prints the owner's token once",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&owner.Email, "owner-email", "", "e-mail address of the owner")
	cmd.Flags().StringVar(&owner.Name, "owner-name", "Owner", "name of the owner")
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.withService(cmd, func(ctx context.Context, service *app.App) error {
			made, err := createCompany(ctx, service, args[0], owner)
			if err != nil {
				return err
			}

			return out.print(cmd.OutOrStdout(), made, textTable(made.table()))
		})
	}

	return cmd
}

// createdCompany is what `company create` prints.
type createdCompany struct {
	Company uuid.UUID `json:"company"`
	Name    string    `json:"name"`
	Owner   uuid.UUID `json:"owner,omitzero"`
	Token   string    `json:"token,omitempty"`
}

func (c createdCompany) table() ([]string, [][]string) {
	header, row := []string{"COMPANY", "NAME"}, []string{c.Company.String(), c.Name}
	if c.Token != "" {
		header, row = append(header, "OWNER", "TOKEN"), append(row, c.Owner.String(), c.Token)
	}

	return header, [][]string{row}
}

// createCompany makes the company and, if there is an address, its owner with a token, all or
// nothing.
func createCompany(ctx context.Context, service *app.App, name string, owner identity.NewUser) (createdCompany, error) {
	var made createdCompany
	err := service.DB.InTx(ctx, func(ctx context.Context) error {
		company, err := service.Identity.CreateCompany(ctx, identity.NewCompany{Name: name})
		if err != nil {
			return err
		}
		made = createdCompany{Company: company.ID, Name: company.Name}
		if owner.Email == "" {
			return nil
		}
		owner.Company, owner.Role = company.ID, identity.Owner
		user, err := service.Identity.CreateUser(ctx, owner)
		if err != nil {
			return err
		}
		made.Owner = user.ID
		_, made.Token, err = service.Identity.IssueToken(ctx, identity.NewToken{
			Company: company.ID, User: user.ID, Name: "first token", Scopes: []string{"*"},
		})

		return err
	})

	return made, err
}

func companyList(c *commandLine) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the companies", Args: cobra.NoArgs}
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.withService(cmd, func(ctx context.Context, service *app.App) error {
			companies, err := service.Identity.ListCompanies(ctx)
			if err != nil {
				return err
			}
			rows := make([][]string, 0, len(companies))
			for _, company := range companies {
				rows = append(rows, []string{company.ID.String(), company.Name, formatTime(&company.CreatedAt)})
			}

			return out.print(cmd.OutOrStdout(), companies, textTable([]string{"COMPANY", "NAME", "CREATED"}, rows))
		})
	}

	return cmd
}

// requireFlag adds a flag without which the command does not run.
func requireFlag(cmd *cobra.Command, value *string, name, usage string) {
	cmd.Flags().StringVar(value, name, "", usage+" (required)")
	if err := cmd.MarkFlagRequired(name); err != nil {
		panic(err) // the flag was added one line above
	}
}

func parseID(what, value string) (uuid.UUID, error) {
	id, err := uuid.Parse(value)
	if err != nil {
		return uuid.Nil, fmt.Errorf("%s %q: want a UUID", what, value)
	}

	return id, nil
}

// formatTime renders a time for a table, "-" if there is none.
func formatTime(t *time.Time) string {
	if t == nil || t.IsZero() {
		return "-"
	}

	return t.UTC().Format(time.RFC3339)
}
