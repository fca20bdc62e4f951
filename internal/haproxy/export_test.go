package haproxy

import "context"

// Stage begins the change of a certificate and leaves it at that.
func Stage(ctx context.Context, r Runtime, file string, pem []byte) error {
	lines, err := dense(pem)
	if err != nil {
		return err
	}
	_, err = r.certStage(ctx, file, lines)
	return err
}
