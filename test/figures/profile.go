package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Profile writes to path what a node does with its CPU time for some seconds. The node runs with
// -adminProfiling, its admin API at the address admin, and its data in dir.
func Profile(ctx context.Context, admin, dir, path string, seconds int) error {
	token, err := os.ReadFile(filepath.Join(dir, "admin.token"))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", admin, max(1, seconds)), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("profile of %s: %s: %s", dir, resp.Status, text)
	}
	return errors.Join(err, os.WriteFile(path, text, 0o600))
}
