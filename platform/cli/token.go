package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/identity"
)

func (c *commandLine) token() *cobra.Command {
	return groupCommand("token", "Access tokens", tokenCreate(c), tokenList(c), tokenRevoke(c))
}

func tokenCreate(c *commandLine) *cobra.Command {
	var (
		company, user string
		operator      bool
		expires       time.Duration
		issue         identity.NewToken
	)
	cmd := &cobra.Command{Use: "create", Short: "Issue a token for a company or the operator; it is printed once", Args: cobra.NoArgs}
	flags := cmd.Flags()
	flags.StringVar(&company, "company", "", "id of the company")
	flags.BoolVar(&operator, "operator", false, "issue an operator token, which manages companies but cannot read their data")
	flags.StringVar(&user, "user", "", "id of the user; without it, a service token is issued")
	flags.StringVar(&issue.Name, "name", "token", "what the token is for")
	flags.StringSliceVar(&issue.Scopes, "scope", []string{"*"}, `scope of the token, as in "*:read"; may be repeated`)
	flags.DurationVar(&expires, "expires", 0, "lifetime of the token, as in 720h; without it the token does not expire")
	cmd.MarkFlagsOneRequired("company", "operator")
	cmd.MarkFlagsMutuallyExclusive("company", "operator")
	cmd.MarkFlagsMutuallyExclusive("user", "operator")
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if expires != 0 {
			issue.ExpiresAt = new(time.Now().UTC().Add(expires)) //nolint:forbidigo // the clock of the person at the terminal
		}
		if company != "" {
			if issue.Company, err = parseID("--company", company); err != nil {
				return err
			}
		}
		if user != "" {
			if issue.User, err = parseID("--user", user); err != nil {
				return err
			}
		}

		return c.withService(cmd, func(ctx context.Context, service *app.App) error {
			create := service.Identity.IssueToken
			if operator {
				create = service.Identity.IssueOperatorToken
			}
			token, secret, err := create(ctx, issue)
			if err != nil {
				return err
			}

			return out.print(cmd.OutOrStdout(), map[string]any{"id": token.ID, "token": secret},
				textTable([]string{"ID", "TOKEN"}, [][]string{{token.ID.String(), secret}}))
		})
	}

	return cmd
}

func tokenList(c *commandLine) *cobra.Command {
	var company string
	cmd := &cobra.Command{Use: "list", Short: "List the tokens of a company, without their secrets", Args: cobra.NoArgs}
	requireFlag(cmd, &company, "company", "id of the company")
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		id, err := parseID("--company", company)
		if err != nil {
			return err
		}

		return c.withService(cmd, func(ctx context.Context, service *app.App) error {
			tokens, err := service.Identity.ListTokens(ctx, id)
			if err != nil {
				return err
			}
			rows := make([][]string, 0, len(tokens))
			for _, t := range tokens {
				rows = append(rows, []string{
					t.ID.String(), t.Prefix, t.Name, strings.Join(t.Scopes, ","),
					formatTime(t.LastUsedAt), formatTime(t.ExpiresAt), formatTime(t.RevokedAt),
				})
			}

			return out.print(cmd.OutOrStdout(), tokens,
				textTable([]string{"ID", "PREFIX", "NAME", "SCOPES", "LAST USED", "EXPIRES", "REVOKED"}, rows))
		})
	}

	return cmd
}

func tokenRevoke(c *commandLine) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a token; every replica refuses it within seconds",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseID("ID", args[0])
			if err != nil {
				return err
			}

			return c.withService(cmd, func(ctx context.Context, service *app.App) error {
				return service.Identity.RevokeToken(ctx, id)
			})
		},
	}
}
