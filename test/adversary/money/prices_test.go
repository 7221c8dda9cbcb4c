package money

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// TestPricesThatCannotBeMeant: a price that the wire would carry as 0, one in a currency
// without a rate, and amounts that no market has end the start with the option's name.
func TestPricesThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	file := func(content string) string { return document(t, content) }
	gateway := func(price, rest string) string {
		return file(`{"gateways":[{"ethaddress":"0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612","priceperunit":` + price +
			`,"pixelsperunit":` + rest + `}]}`)
	}
	capability := func(price, rest string) string {
		return file(`{"capabilities_prices":[{"pipeline":"llm","model_id":"default","price_per_unit":` + price +
			`,"pixels_per_unit":` + rest + `}]}`)
	}
	for name, args := range map[string][]string{
		// carried as 0
		"pricePerUnit 1":    {"-pricePerUnit", "1", "-pixelsPerUnit", "1000000"},
		"pricePerUnit 2":    {"-pricePerUnit", "1e-30ETH"},
		"pricePerUnit 3":    {"-pricePerUnit", "1e-60USD"},
		"pricePerUnit 4":    {"-pricePerUnit", "1e-45ETH", "-autoAdjustPrice=false"},
		"pricePerGateway 1": {"-pricePerUnit", "1200", "-pricePerGateway", gateway("1", "1000000")},
		"pricePerGateway 2": {"-pricePerUnit", "1200", "-pricePerGateway", gateway("1e-40", `1,"currency":"ETH"`)},
		// a currency whose rate is not known
		"pricePerUnit EUR":  {"-pricePerUnit", "0.18EUR", "-pixelsPerUnit", "1000000"},
		"pricePerUnit USDC": {"-pricePerUnit", "0.18USDC", "-pixelsPerUnit", "1000000"},
		"pricePerUnit word": {"-pricePerUnit", "EUR"},
		"maxPricePerUnit EUR": {"-gateway", "-pricePerUnit", "1200", "-maxPricePerUnit", "0.18EUR",
			"-pixelsPerUnit", "1000000"},
		"pricePerGateway USDC": {"-pricePerUnit", "1200", "-pricePerGateway",
			gateway("0.18", `1000000,"currency":"USDC"`)},
		"maxPricePerCapability EUR": {"-gateway", "-pricePerUnit", "1200", "-maxPricePerCapability",
			capability("0.18", `1000000,"currency":"EUR"`)},
		// absurd amounts
		"pricePerUnit large":       {"-pricePerUnit", "1e18"},
		"pricePerUnit ether":       {"-pricePerUnit", "1ETH"},
		"pricePerUnit dollars":     {"-pricePerUnit", "1e12USD"},
		"pricePerUnit negative":    {"-pricePerUnit=-1"},
		"pricePerUnit NaN":         {"-pricePerUnit", "NaN"},
		"pricePerUnit infinite":    {"-pricePerUnit", "Inf"},
		"pricePerUnit hex":         {"-pricePerUnit", "0x10"},
		"pixelsPerUnit zero":       {"-pricePerUnit", "1200", "-pixelsPerUnit", "0"},
		"pixelsPerUnit negative":   {"-pricePerUnit", "1200", "-pixelsPerUnit=-1"},
		"pixelsPerUnit overflow":   {"-pricePerUnit", "1200", "-pixelsPerUnit", "18446744073709551617"},
		"pixelsPerUnit NaN":        {"-pricePerUnit", "1200", "-pixelsPerUnit", "NaN"},
		"maxPricePerUnit dollars":  {"-gateway", "-pricePerUnit", "1200", "-maxPricePerUnit", "1e12USD"},
		"maxPricePerUnit negative": {"-gateway", "-pricePerUnit", "1200", "-maxPricePerUnit=-5"},
		"pricePerGateway negative": {"-pricePerUnit", "1200", "-pricePerGateway", gateway("-1", "1")},
		"pricePerGateway large":    {"-pricePerUnit", "1200", "-pricePerGateway", gateway("1e18", "1")},
		"pricePerGateway pixels": {"-pricePerUnit", "1200", "-pricePerGateway",
			gateway("1", "99999999999999999999")},
		"maxPricePerCapability dollars": {"-gateway", "-pricePerUnit", "1200", "-maxPricePerCapability",
			capability("1e12", `1,"currency":"USD"`)},
		"ticketEV overflow": {"-pricePerUnit", "1200", "-ticketEV", "1" + strings.Repeat("0", 78)},
		"ticketEV negative": {"-pricePerUnit", "1200", "-ticketEV=-8"},
		"maxFaceValue NaN":  {"-pricePerUnit", "1200", "-maxFaceValue", "NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := append([]string{"-network", "arbitrum-one-mainnet", "-ethUrl", "http://127.0.0.1:1", "-orchestrator",
				"-transcoder", "-serviceAddr", "127.0.0.1:8935", "-dataDir", t.TempDir()}, args...)
			out, status := harness.Output(t, filepath.Join(bin, "tutti"), all...)
			option, _, _ := strings.Cut(name, " ")
			if status != 2 || !strings.Contains(firstProblem(out), "-"+option) {
				t.Errorf("status %d, and -%s is not named first:\n%s", status, option, out)
			}
		})
	}
}

// document writes a file for an option.
func document(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "document.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestModelPricesThatCannotBeMeant: the same in the models file. The entry is refused at
// its line, and a node that starts with it does not serve the model.
func TestModelPricesThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for name, price := range map[string]string{
		"carried as 0": `1,"pixels_per_unit":1000000`, "far less": `1e-40,"pixels_per_unit":1,"currency":"USD"`,
		"EUR": `0.18,"pixels_per_unit":1000000,"currency":"EUR"`, "USDC": `"0.18USDC","pixels_per_unit":1000000`,
		"dollars": `1e12,"pixels_per_unit":1,"currency":"USD"`, "large": `1e18,"pixels_per_unit":1`,
		"negative": `-1,"pixels_per_unit":1`, "NaN": `"NaN","pixels_per_unit":1`, "pixels": `1,"pixels_per_unit":-1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := document(t, `[{"pipeline":"llm","model_id":"google/gemma-2-9b-it","warm":true,"url":"http://127.0.0.1:1",`+
				`"price_per_unit":`+price+`}]`)
			out, _ := harness.Output(t, filepath.Join(bin, "tutti"), "config", "check", "-network",
				"arbitrum-one-mainnet", "-ethUrl", "http://127.0.0.1:1",
				"-orchestrator", "-aiWorker", "-aiModels", path, "-serviceAddr", "127.0.0.1:8935", "-dataDir",
				t.TempDir())
			_, problems, found := strings.Cut(out, "Problems with AI models")
			if !found || !strings.Contains(out, "refused") || !strings.Contains(problems, "_per_unit") {
				t.Errorf("the entry is not refused:\n%s", out)
			}
		})
	}
}

// firstProblem is what the node says before it says how to mend it.
func firstProblem(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "remedy:") {
			b.WriteString(line)
		}
	}
	return b.String()
}
