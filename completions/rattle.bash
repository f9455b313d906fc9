# bash completion for rattle
_rattle() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local commands="run check study resume watch recover info report methods verify new export plot gallery bonds help"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
    return
  fi
  case $prev in
    --evaluator) COMPREPLY=($(compgen -W "auto block native" -- "$cur")); return ;;
    --quantity) COMPREPLY=($(compgen -W "solution energy" -- "$cur")); return ;;
    --window) COMPREPLY=($(compgen -W "hann none" -- "$cur")); return ;;
    --from) if [ "$command" = new ]; then COMPREPLY=($(compgen -W "$(rattle new --list 2>/dev/null | cut -d' ' -f1)" -- "$cur")); elif [ "$command" != plot ]; then COMPREPLY=($(compgen -f -X "!*.h5" -- "$cur")); fi; return ;;
    --style) COMPREPLY=($(compgen -W "$(rattle plot --help 2>/dev/null | sed -n '/^styles:/,/^$/s/^  \([a-z]*\):.*/\1/p')" -- "$cur")); return ;;
    --only) COMPREPLY=($(compgen -W "$(rattle gallery --list 2>/dev/null | cut -d' ' -f1)" -- "$cur")); return ;;
    --log) COMPREPLY=($(compgen -W "x y xy none" -- "$cur")); return ;;
    --with) COMPREPLY=($(compgen -W "lines points both" -- "$cur")); return ;;
    --units) COMPREPLY=($(compgen -W "real metal lj" -- "$cur")); return ;;
    --plugin) COMPREPLY=($(compgen -f -X "!*.so" -- "$cur")); return ;;
    --output|-o|--csv) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --method|--step|--stop|--steps|--every|--threads|--observe|--param|-P|--samples|--seed|--methods|--spectrum|--error|--reference|--effort|--x|--y|--start|--stop-after|--to|--legend|--title|--width|--height|--font|--size|--interval|--wait|--port|--tolerance|--angles|--hmr) return ;;
  esac
  local options files
  case $command in
    run) options="--output --param --method --step --stop --steps --every --start --from --stop-after --project --cotangent --force --csv --json --quiet --threads --evaluator --plugin --observe --help"
      files='@(*.lua)' ;;
    check) options="--param --samples --seed --quick --all --json --plugin --help"; files='@(*.lua)' ;;
    study) options="--output --force --methods --method --stop --step --every --spectrum --window --error --quantity --reference --effort --param --start --from --project --threads --json --quiet --evaluator --plugin --help"
      files='@(*.lua)'
      if [ "$COMP_CWORD" -eq 2 ]; then
        COMPREPLY=($(compgen -W "order drift work compare advise --help" -- "$cur"))
        return
      fi ;;
    resume) options="--stop --stop-after --json --quiet --threads --evaluator --plugin --observe --help"; files='@(*.h5)' ;;
    watch) options="--y --interval --wait --web --port --json --help"; files='@(*.h5)' ;;
    recover) options="--json --help"; files='@(*.h5)' ;;
    info) options="--json --help"; files='@(*.h5)' ;;
    report) options="--output --force --json --quiet --help"; files='@(*.h5)' ;;
    methods) options="--model --param --json --plugin --help"; files='@(*.lua)' ;;
    verify) options="--plugin --all --json --help"; files='@(*.so)' ;;
    new) options="--from --list --force --help" ;;
    export) options="--output --param --project --force --evaluator --help"; files='@(*.lua)' ;;
    plot) options="--output --style --x --y --from --to --log --with --legend --title --width --height --font --size --gnuplot --force --help"
      files='@(*.h5)' ;;
    gallery) options="--output --only --list --threads --quiet --help" ;;
    bonds) options="--tolerance --hydrogens --angles --units --hmr --json --help"; files='@(*.bonds|*.data|*.top|*.gro)'
      if [ "$COMP_CWORD" -eq 2 ]; then
        COMPREPLY=($(compgen -W "check bench --help" -- "$cur"))
        return
      fi ;;
    help) options="$commands $(rattle help 2>/dev/null | sed -n 's/^    \([a-z-]*\) .*/\1/p')" ;;
  esac
  COMPREPLY=($(compgen -W "$options" -- "$cur"))
  case $cur in
    -*) ;;
    *) if [ -n "$files" ]; then
         COMPREPLY=($(shopt -s extglob; compgen -f -X "!$files" -- "$cur"; compgen -d -S / -- "$cur"))
         compopt -o nospace 2>/dev/null
       fi ;;
  esac
}
complete -F _rattle rattle
