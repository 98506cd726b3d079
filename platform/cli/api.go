package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/web"
)

func (c *commandLine) openapi() *cobra.Command {
	return &cobra.Command{
		Use:   "openapi",
		Short: "Print the OpenAPI document of this deployment",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			service, err := c.build()
			if err != nil {
				return err
			}
			document, err := service.API.OpenAPI()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), string(document))

			return err
		},
	}
}

// operation is one operation as the commands print it.
type operation struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	ID     string `json:"id"`
	Access string `json:"access"`
	// Callers are company, operator or both; empty for a public operation.
	Callers string `json:"callers"`
	area    string
}

// operations lists what the service serves, of one area or, with "", of all.
func (c *commandLine) operations(area string) ([]operation, error) {
	service, err := c.build()
	if err != nil {
		return nil, err
	}
	var list []operation
	for _, o := range service.API.Operations() {
		if area == "" || o.Area == area {
			list = append(list, operation{Method: o.Method, Path: o.Path, ID: o.ID, Access: string(o.Access), Callers: callerSide(o), area: o.Area})
		}
	}

	return list, nil
}

// callerSide says on which side of the companies the callers of an operation stand.
func callerSide(o web.OperationInfo) string {
	if o.Access == web.Public {
		return ""
	}

	return o.Callers.String()
}

func operationRows(list []operation) [][]string {
	rows := make([][]string, 0, len(list))
	for _, o := range list {
		rows = append(rows, []string{o.Method, o.Path, o.ID, o.Access, o.Callers})
	}

	return rows
}

func (c *commandLine) routes() *cobra.Command {
	cmd := &cobra.Command{Use: "routes", Short: "List the operations that this deployment serves", Args: cobra.NoArgs}
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		list, err := c.operations("")
		if err != nil {
			return err
		}

		return out.print(cmd.OutOrStdout(), list, textTable([]string{"METHOD", "PATH", "OPERATION", "ACCESS", "CALLERS"}, operationRows(list)))
	}

	return cmd
}

func (c *commandLine) version() *cobra.Command {
	cmd := &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs}
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return out.print(cmd.OutOrStdout(), map[string]string{"version": app.Version()},
			textTable([]string{"dispatchd " + app.Version()}, nil))
	}

	return cmd
}
