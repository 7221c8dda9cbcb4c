/* Wine 8, which Debian 12 has, lacks the library that Go's programs take random numbers
   from. This is that library, for smoke tests only: it asks where Wine has them. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	return SystemFunction036(data, (ULONG)size);
}
