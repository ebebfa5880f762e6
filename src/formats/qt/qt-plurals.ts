/** The plural forms that Qt has for a language. They are neither gettext's nor the CLDR's. */
import { formsOf, type PluralForm } from "../gettext/gettext-plurals.ts";

const slavic = "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2";

/** Languages that have other forms than one and others, with how many and which, as expressions of gettext. */
const rules: readonly (readonly [languages: string, count: number, expression: string])[] = [
  ["bi my zh dz fj gn hu id ja jv ko ms na om fa su tt th bo tr vi yo za", 1, "0"],
  ["hy br fr pt-BR fil ti wa", 2, "n > 1"],
  ["lv", 3, "n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2"],
  ["is", 2, "n%10==1 && n%100!=11 ? 0 : 1"],
  ["dv iu ik ga gv mi se sm sa", 3, "n==1 ? 0 : n==2 ? 1 : 2"],
  ["gd", 4, "n==1 || n==11 ? 0 : n==2 || n==12 ? 1 : n > 2 && n < 20 ? 2 : 3"],
  ["sk cs", 3, "n==1 ? 0 : n>=2 && n<=4 ? 1 : 2"],
  ["mk", 3, "n%10==1 ? 0 : n%10==2 ? 1 : 2"],
  ["lt", 3, "n%10==1 && n%100!=11 ? 0 : n%10!=0 && (n%100<10 || n%100>=20) ? 1 : 2"],
  ["bs be hr ru sr uk", 3, slavic],
  ["pl", 3, slavic.replace("n%10==1 && n%100!=11", "n==1")],
  ["ro", 3, "n==1 ? 0 : n==0 || (n%100>=1 && n%100<=19) ? 1 : 2"],
  ["sl", 4, "n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3"],
  ["mt", 4, "n==1 ? 0 : n==0 || (n%100>=1 && n%100<=10) ? 1 : n%100>=11 && n%100<=19 ? 2 : 3"],
  ["cy", 5, "n==0 ? 0 : n==1 ? 1 : n>=2 && n<=5 ? 2 : n==6 ? 3 : 4"],
  ["ar", 6, "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5"],
];

/** The plural forms of a locale, in the order in which a file has them. */
export function qtFormsOf(code: string): readonly PluralForm[] {
  const [language = "", region] = code.replaceAll("_", "-").split(/[-@]/);
  const isOf = (one: string): boolean =>
    one === language || (region !== undefined && one === `${language}-${region}`);
  const [, count, expression] = rules.find(([languages]) => languages.split(" ").some(isOf)) ?? [
    "",
    2,
    "n != 1",
  ];
  return formsOf(`nplurals=${count}; plural=${expression};`, code.replaceAll(/[_@]/g, "-"));
}
