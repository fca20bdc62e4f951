package ctl

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/audit"
	"gateway/internal/db"
	"gateway/internal/db/migrate"
	"gateway/internal/sys"
)

// migrate is what gateway-database.service runs as the user postgres, who may become the
// owner of the tables; the services that use them may not.
func migrateCommand() *cobra.Command {
	address := "host=/run/postgresql user=postgres dbname=gateway options='-c role=" + db.OwnerRole + "'"
	cmd := &cobra.Command{
		Use: "migrate", Short: "Migrate the database's schema and permissions", Args: cobra.NoArgs, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			blueprint, err := app.Blueprint()
			if err != nil {
				return err
			}
			health, err := sys.NewHost(time.Now).Health()
			if err != nil {
				return fmt.Errorf("read machine: %w", err)
			}
			pool, err := db.OpenPatient(address)
			if err != nil {
				return err
			}
			defer pool.Close()
			var standby bool
			if err := pool.QueryRow(cmd.Context(), `select pg_is_in_recovery()`).Scan(&standby); err != nil {
				return err
			}
			if standby { // it has what the primary has
				return say(cmd, nil, func(io.Writer) {})
			}
			if err := migrate.Run(cmd.Context(), pool, blueprint.Schemas()); err != nil {
				return err
			}
			if err := audit.AddNode(cmd.Context(), pool, health.MachineID); err != nil {
				return err
			}
			return say(cmd, nil, func(io.Writer) {})
		},
	}
	cmd.Flags().StringVar(&address, "as", address, "address of the database, for its owner")
	return cmd
}
