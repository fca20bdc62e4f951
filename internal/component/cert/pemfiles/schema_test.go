package pemfiles_test

import (
	"os"
	"testing"

	"gateway/internal/component/cert"
	"gateway/internal/component/cert/pemfiles"
)

// TestMain gives the tests inside of the package the tables, which are made by the package
// that imports it.
func TestMain(m *testing.M) {
	pemfiles.Schema = cert.New(cert.Options{}).Schema()
	os.Exit(m.Run())
}
