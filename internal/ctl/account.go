package ctl

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/auth"
	"gateway/internal/fault"
	"gateway/internal/setupstate"
)

func setupCode(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "setup-code", Short: "Print the one-time code for /setup", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := load(cfg)
			if err != nil {
				return err
			}
			if state.Complete {
				return fault.New(fault.Conflict, "this node is already set up; its setup code is no longer valid")
			}
			code, _, err := auth.EnsureSetupCode(cfg.SetupCode())
			if err != nil {
				return err
			}
			return say(cmd, map[string]string{"code": code.Reveal()}, func(w io.Writer) { fmt.Fprintln(w, code.Reveal()) })
		},
	}
}

func resetPassword(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "reset-password", Short: "Create a token to reset the administrator's password", Args: cobra.NoArgs,
		Long: "Creates a single-use token, valid for 30 minutes, to enter on the sign-in page under \"forgot password\",\n" +
			"or to send to POST /api/v1/auth/reset-password. Only the token is printed on standard output.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := load(cfg)
			if err != nil {
				return err
			}
			if state.Admin == nil {
				return fault.New(fault.Conflict, "this node has no local administrator: set it up first, or reset the password on the primary node")
			}
			now := time.Now()
			token, err := auth.CreateResetToken(cfg.ResetToken(), now)
			if err != nil {
				return err
			}
			cmd.PrintErrf("Sets the password of %s, once, within %d minutes:\n", shown(state.Admin.Email), int(auth.ResetLife.Minutes()))
			data := map[string]any{"token": token.Reveal(), "email": state.Admin.Email, "expires_at": now.Add(auth.ResetLife)}
			return say(cmd, data, func(w io.Writer) { fmt.Fprintln(w, token.Reveal()) })
		},
	}
}

func load(cfg *app.Config) (setupstate.State, error) {
	store, err := setupstate.Open(cfg.SetupStore())
	if err != nil {
		return setupstate.State{}, err
	}
	return store.Load()
}
