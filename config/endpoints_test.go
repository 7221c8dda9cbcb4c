package config_test

import (
	"testing"

	"github.com/tuttinode/tutti/config"
)

// A provider's URL is a secret: it may stand in a file instead of on the command line.
func TestEndpointsFromAFile(t *testing.T) {
	t.Parallel()
	in := config.Input{
		Args: []string{"-gateway", "-network", "arbitrum-one-mainnet", "-ethUrl", "/run/urls", "-ethPassword", "x"},
		Home: "/home/op",
		ReadFile: files(map[string]string{"/run/urls": "https://a.example.org/KEY\nhttps://b.example.org/KEY , " +
			"https://c.example.org\n"}),
	}
	c, _, err := config.Load(in)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(c.Chain.Endpoints); got != 3 {
		t.Fatal(got, "endpoints")
	}
	in.Args[4] = "/run/absent"
	if _, _, err := config.Load(in); err == nil {
		t.Error("a file that is not there is no endpoint")
	}
}
