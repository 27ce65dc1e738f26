#!/bin/sh
# Lays out the file system of an image, file by file, in /image: no shell, and nothing that the harness does not use.
#   image.sh begin              the folders, the user, and where names of hosts are looked up
#   (the Dockerfile copies what its language has)
#   image.sh finish PACKAGE...  the shared libraries that all of it needs, and the records of packages
# Objects in the folders that the variable ALONE names, as find has it, bring their libraries themselves.
set -eu

begin() {
  mkdir -p /image/usr/bin /image/usr/sbin /image/usr/lib /image/usr/lib64 /image/usr/local/bin /image/etc \
    /image/var/lib/dpkg /image/run /image/tmp /image/opt/harness
  for folder in bin sbin lib lib64; do ln -s "usr/$folder" "/image/$folder"; done
  chmod 1777 /image/tmp
  printf 'root:x:0:0::/:/sbin/nologin\nassay:x:10001:10001::/:/sbin/nologin\n' >/image/etc/passwd
  printf 'root:x:0:\nassay:x:10001:\n' >/image/etc/group
  echo 'hosts: files dns' >/image/etc/nsswitch.conf
}

# An object is what the loader of the C library can read; what is static, or a script, has nothing to bring.
libraries() {
  find /image -type f \( -perm -u+x -o -name '*.so*' \) ! -path "${ALONE:-}" >/tmp/objects
  while read -r object; do ldd "$object" 2>/dev/null || true; done </tmp/objects >/tmp/ldd
  if grep 'not found' /tmp/ldd; then exit 1; fi
  grep -o '/[^ ]*\.so[^ ]* ' /tmp/ldd | grep -v '^/image' | sort -u | xargs --no-run-if-empty cp -L --parents -t /image
}

# Scanners of vulnerabilities read the records of the packages whose files are in the image, and of which Debian they are. Whoever
# passes the image on has to pass on their licenses.
packages() {
  cd /image
  {
    for package; do echo "$package"; done
    find usr/lib -name '*.so*' -printf '*/%f\n' | xargs --no-run-if-empty dpkg-query -S 2>/dev/null | cut -d: -f1
  } | sort -u >/tmp/packages
  [ -s /tmp/packages ] || return 0
  xargs dpkg-query -s </tmp/packages >/image/var/lib/dpkg/status
  while read -r package; do cp -L --parents "/usr/share/doc/$package/copyright" /image; done </tmp/packages
  cp -a --parents /usr/share/common-licenses /image
  cp -L --parents /etc/os-release /image
}

case $1 in
  begin) begin ;;
  finish)
    shift
    chmod -R a+rX /image/opt
    libraries
    packages "$@"
    ;;
  *)
    echo "usage: image.sh begin | finish PACKAGE..." >&2
    exit 1
    ;;
esac
