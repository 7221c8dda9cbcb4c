package core_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
)

// The checksums of the network's own contracts.
func TestAddressChecksum(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"0xD8E8328501E9645d16Cf49539efC04f734606ee4", "0x04C0b249740175999E5BF5c9ac1dA92431EF34C5",
		"0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612"} {
		a, err := core.ParseAddress(s)
		if err != nil || a.String() != s {
			t.Errorf("%s: %v, %v", s, a, err)
		}
	}
	if _, err := core.ParseAddress("0xd8E8328501E9645d16Cf49539efC04f734606ee4"); err != core.ErrAddressChecksum {
		t.Errorf("one letter in the wrong case: %v", err)
	}
	if _, err := core.ParseAddress("d8e8328501e9645d16cf49539efc04f734606ee4"); err != core.ErrAddressForm {
		t.Errorf("without 0x: %v", err)
	}
}
