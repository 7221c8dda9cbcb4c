package operator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet"
)

// Prices of the configuration, and of the file that it names, are taken over by a reload.
func TestPricesReload(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
	dir := t.TempDir()
	conf, gateways := filepath.Join(dir, "tutti.conf"), filepath.Join(dir, "gateways.json")
	const gateway = "0x0000000000000000000000000000000000001234"
	write := func(price, pixels, single int) {
		for path, text := range map[string]string{
			conf: fmt.Sprintf("pricePerUnit %d\npixelsPerUnit %d\npricePerGateway %s\nautoAdjustPrice false\n", price, pixels,
				gateways),
			gateways: fmt.Sprintf(`{"gateways":[{"ethaddress":%q,"priceperunit":%d,"pixelsperunit":1}]}`,
				gateway, single),
		} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(1200, 1, 700)
	n := startOf(t, newWallet(t), chain.URL(0), "-config", conf)
	prices := func(want ...string) {
		t.Helper()
		out, status := n.cli("price", "list")
		for _, w := range want {
			if status != 0 || !strings.Contains(out, w) {
				t.Errorf("price list ends with %d and lacks %s:\n%s", status, w, out)
			}
		}
	}
	prices("1200", "700")
	write(1300, 2, 800)
	if out, status := n.cli("reload", "--yes"); status != 0 || strings.Contains(out, "restart") {
		t.Errorf("reload ends with %d:\n%s", status, out)
	}
	prices("650", "800")
}
