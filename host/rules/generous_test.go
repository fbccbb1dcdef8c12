package rules

import (
	"strings"
	"testing"
)

var guarding = []Rule{
	{Command: "rm", Action: "deny"}, {Command: "git push", Action: "deny"}, {Command: "curl", Action: "ask"}, {Command: "make deploy", Action: "deny"}, {Command: "npm publish", Action: "deny"},
	{Command: "docker run --privileged", Action: "deny"}, {Command: "chmod -Rf", Action: "deny"}, {Command: "./deploy.sh", Action: "deny"}, {Command: "pip install", Action: "deny"}, {Command: "git remote add", Action: "deny"},
	{Kind: "execute", Action: "allow"},
}

// judgedAll checks what rules say about commands.
func judgedAll(t *testing.T, rules []Rule, want string, list ...string) {
	t.Helper()
	for _, command := range list {
		if v := Judge(rules, Request{Kind: "execute", Cwd: "/nowhere/p", Command: command}); v.Action != want {
			t.Errorf("%s: got %s, want %s: %s", command, v.Action, want, v.Why)
		}
	}
}

// A rule that denies or asks is for a command however that is spelled, and whatever shell or wrapper runs it (behaviour 963).
func TestDeniedHowever(t *testing.T) {
	judgedAll(t, guarding, "deny",
		"rm -rf x", "/bin/rm -rf x", "./rm x", "bin/../../../bin/rm x", "RM x", "rm.exe x", "grm x", "/usr/bin/git push", "timeout 5 /bin/rm x", "sudo /bin/rm x", "nice ./rm x", "/usr/bin/env rm x", "busybox rm x", "/bin/busybox rm x",
		"git -C . push", "git --no-pager push", "git -c a.b=c push", "git -P push", "git -C push push", "git --git-dir=x --work-tree x push", "git -C . --bare push origin", "GIT push", "git.exe push", "timeout 5 git -C . push", "sudo git -c a=b push",
		"git -C remote remote add x y", "git remote -v add x y", "make -j4 deploy", "make all deploy", "make X=y deploy", "npm publ", "npm --silent publish", "npm --loglevel silent publish", "npm -s publish",
		"docker run -it --privileged x", "docker -H x run --rm --privileged x", "docker run --privileged=true x", "docker run x --privileg", "chmod -fR x", "chmod -R -f x", "chmod x -vfR", "deploy.sh x", "/nowhere/p/deploy.sh", "bash deploy.sh", "sh -x ./deploy.sh",
		"pip3 install x", "/usr/bin/pip install x", "pip -q install x", "python3 -m pip install x", "timeout 5 python3 -m pip --quiet install x",
		"bash -c 'rm x' bash", "bash -c -- 'rm x'", "bash -lic 'rm x'", "bash -i -c 'rm x'", "bash --norc -c 'rm x'", "bash --posix -c 'rm x'", "bash -O extglob -c 'rm x'", "bash -c -O extglob 'rm x'", "sh +e -c 'rm x'", "sh -c 'rm \"$1\"' _ x", "fish -c 'rm x'",
		"csh -c 'rm x'", "bash -xc 'ls; rm x'", "zsh -fc 'rm x'", "./bash -c 'rm x'", "sudo bash -ic 'rm x'", "nice sh -c 'rm x' a", "bash --rcfile x -c 'cd y && /bin/rm x'", "bash -ic \"bash -ic 'rm x'\"", "busybox sh -c 'rm x'", "sh -c 'git -C . push'",
		"env -S 'rm x'", "env -S'rm x'", "env -iS 'rm x'", "env --split-string='rm x'", "env --split-string 'rm x'", "/usr/bin/env -S rm x", "find . -exec sh -c 'rm x' \\;", "find . -exec /bin/rm {} +", "find . -execdir bash -ic 'rm x' \\;", "fd x -x sh -c 'rm {}'",
		"ssh h 'rm x'", "ssh h rm x", "ssh -p 22 h 'cd x && rm y'", "ssh h sudo /bin/rm x", "timeout 5 ssh h 'rm x'", "docker exec -i x rm x", "docker exec x sh -c 'rm x'", "docker run img rm x", "docker compose exec x rm y", "kubectl exec p -- rm x", "kubectl exec -it p -- sh -c 'rm x'",
		"su -c 'rm x'", "su bob -c 'rm x'", "su --command='rm x'", "script -c 'rm x' out", "watch 'rm x'", "sg g 'rm x'", "npx -c 'rm x'", "yash -c 'rm x'", "bash-static -c 'rm x'", "/lib64/ld-linux-x86-64.so.2 /bin/rm x", "wsl rm x", "doas rm x", "script -qc 'rm x' /dev/null", "git filter-branch --exec 'rm x'", "parallel 'rm {}' ::: x", "xargs -I{} sh -c 'rm {}'", "ls | xargs /bin/rm", "npx rm x", "npm exec rm x", "npm exec -- rm x", "npm exec -c 'rm x'",
		"poetry run rm x", "uv run rm x", "bundle exec rm x", "git bisect run rm x", "git submodule foreach 'rm x'", "git rebase -x 'rm x' main", "rsync -e 'rm x' a b", "vagrant ssh -c 'rm x'", "timeout 5 docker exec x rm y",
	)
	judgedAll(t, guarding, "ask", "/usr/bin/curl x", "sh -c 'curl x' a", "ssh h 'curl x'", "timeout 5 ./curl x", "xargs curl", "git -C $x push", "git -C \"$x\" log", "docker run $x y")
}

// Where rules deny or ask, one that is broad does not allow what may run something that is not read (behaviour 963).
func TestBroadIsNotForHidden(t *testing.T) {
	hidden := []string{
		"echo 'rm x' | sh", "echo 'rm x' | bash -s", "cat x | python3", "sh -c '\"$@\"' _ rm x", "sh -c \"$x\"", "bash -c '$0 x' rm", "bash -ic 'eval ls'", "python3 -c 'import os'", "perl -e 1", "perl -we 1", "node -e 1", "node --eval=1", "ruby -e 1", "php -r 1",
		"env -S \"$x\"", "env $x", "timeout 5 $x", "ssh h \"ls $x\"", "ssh h", "su -", "su -c \"$x\"", "timeout 5 sh -c '$x'", "timeout 5 python3 -c 1", "osascript -e 'do shell script 1'", "git -c alias.x='!r\"\"m y' x", "git -c core.pager='rm x' log",
		"tar --checkpoint-action=exec='rm x' -cf a b", "docker exec $x y", "at -f x now \"rm\"", "tmux send-keys r m Enter", "screen -X stuff x", "deno eval x", "bun -e x", "git -c alias.p=push p", "awk 'BEGIN{system(\"r\" \"m x\")}'", "bash <<< 'rm x'", "git filter-branch --tree-filter 'rm x' HEAD", "tmux new 'rm x'", "psql", "vim", "xargs sh", "find . -exec sh {} ';'",
		"env PAGER=rm git log", "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!r\"\"m y' git x", "env BASH_ENV=x bash y", "env 'BASH_FUNC_ls%%=() { r m; }' bash -c ls", "env LD_PRELOAD=./x.so ls", "env PATH=. ls",
		"sudo PATH=. ls", "timeout 5 env EDITOR=x git commit", "kubectl exec p -- env LD_PRELOAD=x ls",
		"sed '1e r?m x' f", "sed 's/^/r/;s/$/m x/e' f", "sed '1~2e' f", "sed -n 's|x|y|e' f", "sed 's/a/b/w f;1e x' f", "sed -f x f", "sed --file=x f", "sed -nf x f", "sed -i -f x f", "sed -e p -f x f", "sed -e '1e /bin/r* x' f", "sed -e p -e e f",
		"sed -ne e f", "sed --expression=e f", "sed --exp=e f", "sed -s -- e f", "sed $x f", "sed \"$x\" f", "sed -n \"$x\" f", "sed -- \"$x\" f", "sed \"1$x\" f", "busybox sed e f", "find . -exec sed e {} +", "xargs sed e", "sed 's/[/]x/e/;s/a/b/' f", "sed 's,[,],e,;e' f", "sed -l 5 e f", "sed '$!{e' -e '}' f",
		"awk -f x f", "gawk -f x f", "gawk -vx=1 -f y f", "gawk -E x f", "gawk --file=x f", "gawk -i x '{print}' f", "gawk -l x 1 f", "gawk '@include \"x\"' f", "gawk '@load \"x\"' f", "gawk 'BEGIN{f=\"sys\" \"tem\"; @f(1)}'", "busybox awk -f x f",
		"git p", "git -C x p", "git -c a.b=c p", "git --git-dir x p", "git --no-pager p", "git -c include.path=./x log", "git -c includeIf.onbranch:x.path=y log", "git --exec-path=x log", "git ls-remote 'ext::sh -c r%m% x'", "git fetch ext::x", "git grep -Orm x",
		"rsync --rsh=/bin/r? a b", "tar --use-compress-program=/bin/r? -xf a", "tar -I'r[m]' -xf a", "rsync -e '/bin/[q-s]m' a b", "tar -Irm -xf a", "tar -I '{r,}m' -xf a",
		"anything rm x", "anything 'rm x'", "anything -e 'cd y && rm x'", "anything --exec='rm x'", "anything git push", "anything --x git -C y push", "anything 'git -C x push'", "xterm -e rm x", "xterm -e sh -c 'r\"\"m x; rm y'", "concurrently 'rm x'", "docker run -i x", "make --eval='x:;rm y'", "sh", "nix-shell",
	}
	judgedAll(t, guarding, "ask", hidden...)
	judgedAll(t, []Rule{{Command: "rm", Action: "ask"}, {Action: "allow"}}, "ask", hidden[:9]...)
	judgedAll(t, []Rule{{Command: "rm", Action: "deny"}, {Command: "python3 -c import\\ os", Action: "allow"}, {Kind: "execute", Action: "allow"}}, "allow", "python3 -c 'import os'")
	for _, rules := range [][]Rule{{{Kind: "execute", Action: "allow"}}, {{Action: "allow"}}, {{Path: "x", Action: "deny"}, {Action: "allow"}}, {{Action: "allow"}, {Command: "rm", Action: "deny"}}, {{Command: "rm", Agent: "other", Action: "deny"}, {Action: "allow"}}} {
		judgedAll(t, rules, "allow", "echo 'rm x' | sh", "python3 -c 1", "git -c core.pager='rm x' log", "timeout 5 sh -c ls a", "rm x")
	}
}

// Other commands that have such words are allowed as before (behaviour 963).
func TestDeniedOnly(t *testing.T) {
	judgedAll(t, guarding, "allow",
		"git rm x", "git -- log push", "git -p -- log push", "git log push", "git log -p push", "git commit -m 'rm x'", "grep rm x", "grep 'rm x' y", "find . -name rm", "ls rm", "echo 'rm x'", "timeout 5 git log push", "timeout 5 grep 'rm x' y", "cat rm | head", "git stash push", "git status", "git --no-pager log -5",
		"bash -ic ls", "bash -c 'ls' rm", "sh -c 'ls \"$1\"' _ rm", "ssh h ls", "ssh h 'ls | head'", "docker exec x ls", "docker ps", "make test", "npm test", "npm run build", "docker run x", "chmod -R x", "pip list", "python3 x.py rm", "python3 -m pytest tests", "bash x.sh",
		"env CI=1 ls", "env NODE_ENV=test npm test", "sudo CI=1 ls", "timeout 5 env GOOS=linux go build ./...", "timeout 5 go test ./...", "xargs ls", "find . -exec cat {} +", "npx eslint src", "trm x", "git remote -v", "git remote show add", "node x.js", "for f in a b; do grep x $f; done", "su -c ls", "xargs -I{} grep {} x", "cargo test", "node --max-old-space-size=4096 x.js",
		"sed -n 1,5p x", "sed -i s/a/b/g x", "sed -i -e s/a/b/ -e s/c/d/ x", "sed 's/a/b/;s/c/d/' x", "sed -i.bak 's|a/b|c/d|g' x", "sed -i '' s/a/b/ x", "sed -i 's/rm x/rm y/' x", "sed -n '/git push/p' x", "sed -E 's/(a|b)+/x/' x", "sed '/^$/d' x", "sed '1,3!d' x", "sed -n '$p;1p' x",
		"sed '/a/,/b/{p}' x", "sed s,a,b, x", "find . -name x -exec sed -i s/a/b/ {} +", "awk '{print $1}' x", "awk -F: '/git push/ {print $1}' x", "awk -v x=1 '{s+=$3} END {print s}' x", "gawk -F, 'NR>1' x",
		"git clone https://x.y/z", "git gc", "git lfs pull", "git config user.name x", "git -c color.ui=always log", "git -C sub status", "git --git-dir=x log", "git --version", "git help log", "git worktree add x", "git submodule update --init", "git",
		"eslint --fix 'src/**/*.ts'", "prettier --write '**/*.{ts,tsx}'", "jest --coverage '--collectCoverageFrom=src/**/*.ts'", "tar --exclude='*.o' -czf x.tgz src", "rsync -av --exclude '*.log' a b", "anything x y", "anything gitpush", "anything --armx", "anything git status", "anything 'git log'",
	)
}

// A rule that allows is for the words that it has (behaviour 963).
func TestAllowedStrictly(t *testing.T) {
	list := []Rule{{Command: "ls", Action: "allow"}, {Command: "git status", Action: "allow"}}
	judgedAll(t, list, "ask", strings.Split("/bin/ls|./ls|LS|git -C . status|git -c a=b status|bash -ic ls|ls.exe|gls", "|")...)
}
